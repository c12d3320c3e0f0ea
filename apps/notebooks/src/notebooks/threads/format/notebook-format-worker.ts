import type { SavedContents } from '../../domain/notebook-format.ts';
import { checkNotebook } from './check-notebook.ts';
import { checkSaved, type TextToCheck } from './check-saved.ts';

/** What the thread of `notebook-format-thread.ts` does. */
export default ({ text, isSaved }: TextToCheck): SavedContents => (isSaved ? checkSaved(text) : checkNotebook(text));
