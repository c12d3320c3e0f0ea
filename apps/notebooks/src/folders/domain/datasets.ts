import type { ActorContext } from '@platform-backend/core';
import { MAX_NAME_BYTES } from './file-path.ts';

export type DatasetFormat = 'PARQUET' | 'CSV' | 'JSON_LINES';

export interface DatasetSelection {
  readonly datasetId: string;
  /** 0: the current one. */
  readonly version: number;
  readonly format: DatasetFormat;
}

/** A version of a dataset as a file. */
export interface DatasetFile {
  /** Of the dataset. */
  readonly name: string;
  readonly versionId: string;
  /** From 1. */
  readonly version: number;
  readonly sizeBytes: number;
}

/** The datasets of the organisation. */
export interface Datasets {
  /**
   * Has `take` read a dataset: it is told what comes before any of its bytes do. NOT_FOUND: there is none. CONFLICT: it is empty.
   * TOO_LARGE: it is larger than `maxBytes`. NOT_PROVIDED: nothing says where datasets are.
   */
  readonly read: <Taken>(
    by: ActorContext,
    wanted: DatasetSelection & { readonly maxBytes: number },
    signal: AbortSignal,
    take: (file: DatasetFile, bytes: AsyncIterable<Uint8Array>) => Promise<Taken>,
  ) => Promise<Taken>;
}

const ENDINGS: Readonly<Record<DatasetFormat, string>> = { PARQUET: '.parquet', CSV: '.csv', JSON_LINES: '.jsonl' };

/** What a dataset is called as a file: by its name, with what no name of a file has in it replaced, and cut where that is too long. */
export function datasetFileName(name: string, format: DatasetFormat): string {
  const ending = ENDINGS[format];
  // oxlint-disable-next-line no-control-regex -- they are what is replaced
  const plain = name.toWellFormed().replaceAll(/[/\\\u0000-\u001f\u007f]/g, '_');
  const stem = plain.toLowerCase().endsWith(ending) ? plain.slice(0, -ending.length) : plain;
  const encoder = new TextEncoder();
  let bytes = ending.length;
  let kept = '';
  for (const character of stem) {
    bytes += encoder.encode(character).length;
    if (bytes > MAX_NAME_BYTES) break;
    kept += character;
  }
  return kept + ending;
}
