import { checkNotebook } from './check-notebook.ts';

/** What the thread of `notebook-format-thread.ts` does. */
export default checkNotebook;
