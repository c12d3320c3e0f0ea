import { notebookHtml } from './notebook-html.ts';

/** What the thread of `notebook-pages-thread.ts` does. */
export default notebookHtml;
