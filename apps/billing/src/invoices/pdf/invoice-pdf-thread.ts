import { workerPool } from '@platform-backend/worker-threads';
import type { InvoiceDocument, PrintedInvoice } from '../domain/invoices.ts';

export interface InvoicePdfThread {
  /** UNAVAILABLE: too many wait already, of the organisation or in all, or the service stops. */
  readonly document: InvoiceDocument;
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** Invoices as PDFs, each made in a fiftieth of a second; the first one takes longer. */
export function invoicePdfThread(): InvoicePdfThread {
  const { run, close } = workerPool<PrintedInvoice, Uint8Array>({
    worker: new URL('invoice-pdf-worker.ts', import.meta.url),
    maxWaitingOfOne: 16,
    maxWaiting: 64,
    waitTimeoutMs: 5_000,
    taskTimeoutMs: 30_000,
    maxMemoryMb: 256,
  });
  return {
    document: async (invoice) => {
      const { buffer, byteOffset, byteLength } = await run(invoice.organisationId, invoice);
      return Buffer.from(buffer, byteOffset, byteLength);
    },
    close,
  };
}
