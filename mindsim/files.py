"""Files that are whole or not there: written under another name, flushed to the disk, then renamed.

Also Parquet files of games with a row group per piece, the same bytes for the same games. What this file leaves to
others: which files a sweep has (`store`).
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Columns = Mapping[str, np.ndarray]


class StoreError(ValueError):
    """A store that cannot be used as asked; the message is a sentence that says why, and what to do."""


# --- whole or not at all ---------------------------------------------------------------------------------------------
_WHY = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be larger than is allowed",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "there is no permission to write there",
    errno.EPERM: "there is no permission to write there",
}


def cannot_write(path: Path, error: OSError) -> OSError:
    why = _WHY.get(error.errno or 0, error.strerror or str(error))
    says = f"cannot write {path}: {why}. What was finished is whole: run the same sweep again and it goes on from there"
    return OSError(error.errno, says)


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside `path`, flush it to the disk, and rename it.

    Raises
    ------
    OSError
        If it cannot be written; nothing is then left under either name.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(suffix=".tmp", prefix=path.name + ".", dir=path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        with os.fdopen(number, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
        _flush_directory(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        Path(name).unlink(missing_ok=True)


def _flush_directory(path: Path) -> None:
    """Make a rename last through a power cut, where the system can."""
    if os.name == "nt":
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def write_json(path: Path, value: Any) -> None:
    """A JSON file for people, keys in the order given."""
    text = json.dumps(value, indent=1, allow_nan=False) + "\n"
    write_whole(path, lambda file: file.write(text.encode()))


# --- Parquet ---------------------------------------------------------------------------------------------------------
def _table(columns: Columns) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in columns.items()})


def write_groups(file: IO[bytes], groups: Iterator[Columns], metadata: Mapping[bytes, str]) -> None:
    """A Parquet file with one row group per entry of `groups`; the same input gives the same bytes."""
    import pyarrow.parquet as pq

    first = _table(next(groups))
    with pq.ParquetWriter(file, first.schema, compression="zstd", store_schema=False, write_page_checksum=True) as out:
        out.write_table(first, row_group_size=max(1, first.num_rows))
        for columns in groups:
            table = _table(columns)
            out.write_table(table, row_group_size=max(1, table.num_rows))
        out.add_key_value_metadata({k.decode(): v for k, v in metadata.items()})


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a cell or a part.

    Raises
    ------
    StoreError
        If it is missing, cut short or no Parquet file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError as error:
        raise StoreError(f"{path} is missing, though the manifest names it; run the sweep again") from error
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> StoreError:
    first = str(error).split("\n")[0][:200]
    return StoreError(
        f"{path} is damaged or no Parquet file ({first}). Delete it and run the sweep again: only its "
        "games are played anew"
    )


def read_groups(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, np.ndarray]]:
    """The row groups of a cell or part, one after another, as arrays.

    Raises
    ------
    StoreError
        If the file is damaged.
    """
    import pyarrow as pa

    with open_parquet(path) as file:
        names = file.schema_arrow.names if columns is None else list(columns)
        if missing := [n for n in names if n not in file.schema_arrow.names]:
            raise StoreError(f"{path} has no column {missing[0]!r}; it has {', '.join(file.schema_arrow.names)}")
        for i in range(file.num_row_groups):
            try:
                group = file.read_row_group(i, columns=names, use_threads=False)
            except (pa.ArrowException, OSError) as error:
                raise _damaged(path, error) from error
            yield {name: group[name].to_numpy() for name in names}
