/** What one document may come to. Beyond, it ends as `too_large`. */
export const limits = {
  fileBytes: 100 * 1024 * 1024,
  /** Characters of the whole text: about 2,000 printed pages. */
  textLength: 5_000_000,
  /** Many times what a text of that length is cut into. */
  passages: 200_000,
  /** Pages, slides or sheets. */
  pages: 5_000,
  /** Files in an archive. */
  archiveEntries: 10_000,
  /** Bytes that all that is read of an archive come to when it is unpacked. */
  unpackedBytes: 256 * 1024 * 1024,
  /** Elements in each other, of HTML and of XML. Programs that write documents stay below a hundred. */
  depth: 2_000,
  /** Cells of all sheets. */
  cells: 2_000_000,
} as const;
