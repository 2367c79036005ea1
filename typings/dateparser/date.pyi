from collections.abc import Mapping, Sequence
from datetime import datetime

class DateData:
    date_obj: datetime | None
    period: str
    parts: tuple[str, ...]

class DateDataParser:
    def __init__(
        self, languages: Sequence[str] | None = ..., settings: Mapping[str, object] | None = ...
    ) -> None: ...
    def get_date_data(self, date_string: str) -> DateData: ...
