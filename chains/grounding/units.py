"""Units in English and Chinese, each with the kind in which it can be compared, and how many of that it is."""

from __future__ import annotations

import re

UNITS: tuple[tuple[str, str, float], ...] = (
    ("percent", r"%|percent\b|per cent\b|percentage points?\b|个?百分点", 1),
    ("usd", r"(?:us |u\.s\. )?dollars?\b|usd\b|美元|美金", 1),
    ("eur", r"euros?\b|eur\b|欧元", 1),
    ("gbp", r"pounds sterling\b|gbp\b|英镑", 1),
    ("jpy", r"yen\b|jpy\b|日元", 1),
    ("hkd", r"hkd\b|港元|港币", 1),
    ("cny", r"yuan\b|rmb\b|cny\b|renminbi\b|元|块钱?|人民币", 1),
    ("seconds", r"seconds?\b|secs?\b|秒钟?", 1),
    ("seconds", r"minutes?\b|mins?\b|分钟", 60),
    ("seconds", r"hours?\b|hrs?\b|个?小时|个?钟头", 3600),
    ("seconds", r"days?\b|天", 86400),
    ("seconds", r"weeks?\b|周(?!年|岁|边|围)|个?星期|个?礼拜", 604800),
    ("months", r"months?\b|个月", 1),
    ("months", r"years?\b|周年|年(?!代|级|度|龄)", 12),
    ("months", r"decades?\b", 120),
    ("m2", r"square kilomet(?:er|re)s?\b|平方公里|平方千米|km²|km2\b", 1e6),
    ("m2", r"square met(?:er|re)s?\b|平方米|㎡|m²", 1),
    ("m2", r"hectares?\b|公顷", 1e4),
    ("m", r"kilomet(?:er|re)s?\b|km\b|公里|千米", 1000),
    ("m", r"met(?:er|re)s?\b|米", 1),
    ("m", r"centimet(?:er|re)s?\b|cm\b|厘米|公分", 0.01),
    ("m", r"millimet(?:er|re)s?\b|mm\b|毫米", 0.001),
    ("mile", r"miles?\b|mi\b|英里", 1),
    ("foot", r"feet\b|foot\b|ft\b|英尺", 1),
    ("inch", r"inch(?:es)?\b|英寸", 1),
    ("kg", r"kilograms?\b|kilos?\b|kgs?\b|公斤|千克", 1),
    ("kg", r"grams?\b|g\b|克", 0.001),
    ("kg", r"tons?\b|tonnes?\b|吨", 1000),
    ("kg", r"斤", 0.5),
    ("kg", r"milligrams?\b|mg\b|毫克", 1e-6),
    ("lb", r"lbs?\b|磅", 1),
    ("litre", r"millilit(?:er|re)s?\b|ml\b|毫升", 0.001),
    ("litre", r"lit(?:er|re)s?\b|l\b|升(?![级值温高至到幅降起职])", 1),
    ("watt", r"kilowatts?\b|kw\b", 1e3),
    ("watt", r"megawatts?\b|mw\b|兆瓦(?!时)", 1e6),
    ("watt", r"watts?\b|w\b|瓦(?:特)?(?!时)", 1),
    ("byte", r"kb\b", 1e3),
    ("byte", r"mb\b", 1e6),
    ("byte", r"gb\b", 1e9),
    ("byte", r"tb\b", 1e12),
    ("celsius", r"°c|℃|degrees celsius\b|摄氏度", 1),
    ("fahrenheit", r"°f|℉|degrees fahrenheit\b|华氏度", 1),
)
AFTER = [(re.compile(rf"[\s-]*(?:{pattern})", re.IGNORECASE), kind, factor) for kind, pattern, factor in UNITS]
BEFORE = [(re.compile(rf"{pattern}\s*$", re.IGNORECASE), kind) for pattern, kind in
           ((r"(?:us)?\$", "usd"), ("€", "eur"), ("£", "gbp"), ("[¥￥]", "cny"))]  # fmt: skip
