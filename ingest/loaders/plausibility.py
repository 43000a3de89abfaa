"""How likely a text is in a script: what tells apart encodings in which the same bytes are all valid.

A script's model gives every character a probability: tiers of characters (the most frequent, the basic set of the national
standard, the rest), each with a share of the text. As every model is a distribution over texts, their log-likelihoods of the same
bytes compare, however short the file is: the right one reads them as frequent characters, a wrong one as rare ones.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal, get_args

Script = Literal[
    "hans", "hant", "ja", "ko", "latin", "central", "turkish", "cyrillic", "greek", "hebrew", "arabic", "thai", "any"
]
Tier = tuple[float, Iterable[str]]

_HANS = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同"
    "现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很"
    "最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走"
    "义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马"
    "科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
)
_HANT = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同"
    "現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很"
    "最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走"
    "義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬"
    "科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運"
)
_KANJI = (
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円"
    "関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多"
    "県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信"
)
_HANGUL = (
    "이다는의에을가고하지은로한를서사기도대어시자으라그나리인수들있니과해게일아부정제전여안상만보스구주장적원성동국와유내학비면것선용무우중관때오통"
    "경소신공요저물미조위실문화세마히분없민개행까음작되더년생연람본계심됐방모진회업말건드했당간발체치반금할였었러운트단재달속식표거예야번영양같추입"
)
COMMON = frozenset(_HANS + _HANT + _KANJI + _HANGUL)
"""The most frequent ideographs and syllables."""
_CJK_MARKS = "，。、：；？！（）“”‘’《》〈〉「」『』【】…—·～　"
_WIDE_FORMS = [chr(code) for code in range(0xFF01, 0xFF5F)]
_KANA = "".join(map(chr, range(0x3041, 0x3094))), "".join(map(chr, range(0x30A1, 0x30FD)))
_LATIN_MARKS = "“”‘’–—…€•°§«»„©®£\xa0"
_LATIN_LETTERS = {
    "latin": "äöüßÄÖÜéèêàâçñáíóúãõåøæîôùûëïì",
    "central": "ąćęłńóśźżáčďéěíňřšťúůýžäöüőűăâîşţ",
    "turkish": "çğıöşüİÇŞÖÜâ",
}
_ALPHABETS = {  # by falling frequency
    "cyrillic": "оеаинтсрвлкмдпугяыьбзчйхжшюцщэфъёіїєў",
    "greek": "ατοιενσρηςκπυμλίόάέήγδωχθύφβώζξψϊϋΐΰ",
    "hebrew": "יוהלרבתמאשנעםדקחפסכגטצןזךףץ",
    "arabic": "اليمونرتبةعدسفهكقأحجشطصىخإذزثغضءظئآؤ",
    "thai": "านรอกเงมยลวดทสต่้ะปบคหแิัีืจพชขใไุูึโธซผณฉญศถฐฟฝฎฏฒฆภษฬฮ็์ำๆฯ",
}

_UNKNOWN = -18.0  # log-probability of a character that the script does not use
_BAD = {"\ufffd": -25.0, "\x00": -14.0}
_OUT_OF_PLACE = -5.0
_BROKEN_WORDS = re.compile(
    "[a-zß-öø-ÿ][À-ÖØ-Þ]|[ß-öø-ÿ](?=[ß-öø-ÿ]{2})|[À-ÖØ-Þ](?=[À-ÖØ-Þ]{2})"  # capitals after small letters, runs of accents
    "|[а-я][А-Я]|[A-Za-z](?=[Ͱ-ۿก-๛])|[Ͱ-ۿก-๛](?=[A-Za-z])"  # the same in Cyrillic; words of two alphabets
    "|[A-Za-z][一-龥가-힣](?=[A-Za-z])"  # one ideograph inside a Latin word
)


def log_likelihood(text: str, script: Script) -> float:
    """The natural logarithm of the text's probability in a script: the higher, the more plausible; 0 for no text."""
    model = _model(script)
    score = sum(count * model.get(ch, _UNKNOWN) for ch, count in Counter(text).items())
    return score + _OUT_OF_PLACE * len(_BROKEN_WORDS.findall(text))


@cache
def _model(script: Script) -> Mapping[str, float]:
    if script == "any":
        return _mixture([_model(part) for part in get_args(Script) if part != "any"])
    model: dict[str, float] = {}
    for share, characters in [*_tiers(script), (0.0005, _WIDE_FORMS)]:
        new = [ch for ch in dict.fromkeys(characters) if ch not in model]
        model.update(dict.fromkeys(new, math.log(share / max(len(new), 1))))
    return {**_ascii(), **model, **_BAD}


def _tiers(script: Script) -> list[Tier]:
    """Shares of a running text, the most telling characters first; a character counts in the first tier that has it."""
    if script == "hans":  # with the traditional characters that GBK has too
        basic = [(0.2, _rows("gb2312", 0xB0, 0xD7)), (0.006, _rows("gb2312", 0xD8, 0xF7))]
        return [(0.6, _HANS), (0.1, _CJK_MARKS), *basic, (0.01, map(chr, range(0x4E00, 0x9FA6)))]
    if script == "hant":
        return [(0.6, _HANT), (0.1, _CJK_MARKS), (0.2, _rows("cp950", 0xA4, 0xC6)), (0.005, _rows("cp950", 0xC9, 0xF9))]
    if script == "ja":
        kanji = [(0.15, _KANJI), (0.1, _rows("euc_jp", 0xB0, 0xCF)), (0.003, _rows("euc_jp", 0xD0, 0xF4))]
        rare = [(0.002, map(chr, range(0xFF61, 0xFFA0))), (0.0005, _rows("cp932", 0xED, 0xFC))]
        return [(0.45, _KANA[0]), (0.15, _KANA[1]), (0.1, _CJK_MARKS), *kanji, *rare]
    if script == "ko":
        return [(0.65, _HANGUL), (0.15, _rows("euc_kr", 0xB0, 0xC8)), (0.005, _rows("euc_kr", 0xCA, 0xFD)), (0.02, _CJK_MARKS)]
    if script in _LATIN_LETTERS:
        return [(0.12, _LATIN_LETTERS[script]), (0.01, _LATIN_MARKS), (0.002, "".join(map(chr, range(0xA1, 0x180))) + "™†‡‰‹›")]
    letters = _ALPHABETS[script]
    return [
        (0.6, letters[:10]),
        (0.3, letters[10:24]),
        (0.05, letters[24:]),
        (0.05, letters.upper()),
        (0.01, _LATIN_MARKS + "№،؟·΄"),
    ]


@cache
def _ascii() -> Mapping[str, float]:
    letters = {chr(code): -3.2 for code in range(ord("a"), ord("z") + 1)} | {" ": -2.5, "\n": -3.5, "\r": -3.5, "\t": -5.0}
    others = {chr(code): -4.8 for code in range(0x21, 0x7F)}
    return {chr(code): -12.0 for code in range(0x20)} | {"\x7f": -12.0} | others | letters


def _rows(codec: str, first: int, last: int) -> list[str]:
    """The characters of the two-byte rows `first` to `last` of a codec, in its own order."""
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in (*range(0x40, 0x7F), *range(0x80, 0xFF)))
    return [ch for pair in pairs if len(ch := pair.decode(codec, "ignore")) == 1 and ord(ch) > 0x7F]


def _mixture(models: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    """A text of any of the scripts: per character the best model's probability, less what choosing among them costs."""
    best: dict[str, float] = {}
    for model in models:
        best = {ch: max(best.get(ch, _UNKNOWN), model.get(ch, _UNKNOWN)) for ch in (*best, *model)}
    return best
