import { extractText } from 'unpdf';

/** The text of each page, as a reader that is none of ours finds it. */
export async function pdfPages(content: Uint8Array): Promise<string[]> {
  const { text } = await extractText(new Uint8Array(content), { mergePages: false });
  return text;
}
