import { invoicePdf } from './invoice-pdf.ts';

/** What the thread of `invoice-pdf-thread.ts` does. The fonts are read once, when it starts. */
export default invoicePdf();
