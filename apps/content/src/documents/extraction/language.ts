import { oneLine } from './clean-text.ts';

/** As much as it takes to be sure. */
const sampleLength = 20_000;

/** ISO 639-1; undefined where the text is too short or has no words to tell it by. */
export async function languageOf(text: string): Promise<string | undefined> {
  // Loaded when first needed: most of its time goes there.
  const { eld } = await import('eld/extrasmall');
  const middle = Math.max(0, Math.floor((text.length - sampleLength) / 2));
  const found = eld.detect(oneLine(text.slice(middle, middle + sampleLength)));
  return found.language !== '' && found.isReliable() ? found.language : undefined;
}
