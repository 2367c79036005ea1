"""Scripts whose words run together, without blanks between them. Pure."""

RUN_TOGETHER = (
    "\u0e01-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u19e0-\u19ff"  # Burmese, jamo, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u302e\u302f\u3038-\u303b"  # radicals, numerals
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff"  # jamo, ideographs
    "\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff"  # jamo, Burmese, Hangul
    "\uf900-\ufaff\uff66-\uffdc"  # ideographs, kana and jamo of half the width
    "\U000116d0-\U000116e3"  # Burmese digits
    "\U00016fe2-\U00016ff6\U0001aff0-\U0001b16f\U00020000-\U0003347f"  # ideographs, kana
)
"""The letters of such scripts, inside a regex's brackets. Korean has blanks, but hangs particles on
words: `ada` is in `ada\ub2d8` as it is in `ada\u3055\u3093`."""
