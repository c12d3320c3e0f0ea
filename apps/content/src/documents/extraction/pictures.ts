import type { PictureOfPage } from '../domain/ocr.ts';

/** The text of pages that are pictures, of the file that is being read, in their order; empty where there is none or it could not be read. */
export type ReadPictures = (pictures: readonly PictureOfPage[]) => Promise<readonly string[]>;
