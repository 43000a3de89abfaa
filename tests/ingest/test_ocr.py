"""OCR reads Chinese and English in order, turned pages too, with an engine that is made once and downloads nothing."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image, ImageFilter

from ingest.loaders import ocr
from ingest.loaders.ocr import OcrUnavailable, read_picture
from settings.ingest import OcrSettings
from tests.ingest.pictures import TEXT, brushed, written


def fail(*_) -> None:
    raise RuntimeError("out of memory")


def read(picture: Image.Image, **settings) -> str:
    return read_picture(picture, OcrSettings(**settings)).text


def test_lines_of_a_sentence_become_one() -> None:
    found = read_picture(written(), OcrSettings())
    assert found.text == TEXT
    assert found.confidence is not None
    assert 0.9 < found.confidence <= 1
    assert found.turned == 0


def test_chinese_is_read_and_joined_without_blanks() -> None:
    lines = ["王山中三日上田中山三上王日中", "山田上中"]
    assert read(brushed(lines)) == "".join(lines)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_picture_is_turned_back(degrees: int) -> None:
    found = read_picture(written().rotate(degrees, expand=True), OcrSettings())
    assert found.text == TEXT
    assert found.turned == degrees


def test_two_columns_are_read_one_after_the_other() -> None:
    right = ["The tower stands on the old pier", "and its light is seen by ships", "in all weathers but the thick fog"]
    page = Image.new("RGB", (1500, 200), "white")
    page.paste(written(size=(650, 200)), (0, 0))
    page.paste(written(right, size=(700, 200)), (750, 0))
    assert read(page).split("\n\n") == [TEXT, " ".join(right)]


def test_cells_of_a_table_stay_on_their_row() -> None:
    page = Image.new("RGB", (1000, 260), "white")
    for place, cells in enumerate((["Item", "Rope", "Bell"], ["Price", "12.50", "99.00"], ["Stock", "7 coils", "3 pieces"])):
        page.paste(written(cells, size=(240, 260)), (320 * place, 0))
    assert "Rope | 12.50 | 7 coils" in read(page)


def test_light_on_dark_and_transparent_pictures_are_read() -> None:
    assert read(written(ink="white", paper="black")) == TEXT
    clear = Image.new("RGBA", (700, 260), (0, 0, 0, 0))
    clear.paste(written(), mask=written().convert("L").point(lambda shade: 255 - shade))
    assert read(clear) == TEXT


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "I;16", "I", "F"])
def test_pictures_of_any_depth_are_read(mode: str) -> None:
    grey = written().convert("L")
    deep = grey.convert("I").point(lambda shade: shade * 200)
    picture = deep if mode == "I" else deep.convert(mode) if mode in ("I;16", "F") else grey.convert(mode)
    assert read(picture) == TEXT


@pytest.mark.parametrize("size", [(1, 1), (8, 900), (900, 8), (600, 400)])
@pytest.mark.parametrize("shade", ["white", "black", (200, 210, 190)])
def test_a_tiny_or_blank_picture_has_no_text(size: tuple[int, int], shade) -> None:
    found = read_picture(Image.new("RGB", size, shade), OcrSettings(min_confidence=0))
    assert (found.text, found.confidence) == ("", None)


def test_a_large_picture_is_scaled_down_and_read() -> None:
    assert read(written().resize((7000, 2600))) == TEXT


@pytest.mark.slow
def test_a_long_screenshot_is_read_in_slices_and_no_line_is_cut() -> None:
    lines = [f"{number}. The message of the harbour" for number in range(100, 160)]
    found = read(written(lines, size=(560, 60 + 44 * len(lines))))
    assert found.split("\n") == lines


def test_a_thin_strip_is_read() -> None:
    assert read(written(["The ferry to the northern island"], size=(700, 90))) == "The ferry to the northern island"


def test_lines_of_less_confidence_are_left_out() -> None:
    blurred = written().filter(ImageFilter.GaussianBlur(3))
    unsure = read_picture(blurred, OcrSettings(min_confidence=0))
    assert unsure.confidence is not None
    assert unsure.text
    assert read(blurred, min_confidence=1) == ""


def test_many_threads_may_read_at_once_with_one_engine() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, [written()] * 4)) == [TEXT] * 4
    assert ocr._load.cache_info().currsize == 1


def test_nothing_is_said_on_the_console_and_nothing_fetched() -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('a connection')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from ingest.loaders.ocr import read_picture\n"
        "from settings.ingest import OcrSettings\n"
        "from tests.ingest.pictures import written\n"
        "import sys; assert 'rapidocr' not in sys.modules and 'onnxruntime' not in sys.modules\n"
        "from PIL import Image\n"
        "read_picture(Image.new('RGB', (400, 400), 'white'), OcrSettings()); assert 'rapidocr' not in sys.modules\n"
        "assert read_picture(written(), OcrSettings()).text\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    ocr._load.cache_clear()
    with pytest.raises(OcrUnavailable) as caught:
        read(written())
    assert caught.value.why == "missing"
    monkeypatch.undo()
    assert read(written()) == TEXT


def test_an_engine_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr._engine(), "run_ocr_steps", fail)
    with pytest.raises(OcrUnavailable) as caught:
        read(written())
    assert caught.value.why == "failed"
