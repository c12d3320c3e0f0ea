import { unavailable } from '@platform/core';
import { Piscina } from 'piscina';
import type { Invoice } from '../domain/invoices/invoice.ts';
import type { InvoiceDocument } from '../domain/invoices/invoices.ts';

export interface InvoicePdfThread {
  /** UNAVAILABLE: too many wait already, or the service stops. */
  readonly document: InvoiceDocument;
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/**
 * Invoices as PDFs, made one after the other in a thread of their own: the service goes on answering meanwhile. The
 * thread is there only while it is needed.
 */
export function invoicePdfThread({ mayWait = 64 } = {}): InvoicePdfThread {
  const pool = new Piscina<Invoice, Uint8Array>({
    filename: new URL('invoice-pdf-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
  });
  let closed = false;
  const stopped = () => closed;
  return {
    document: async (invoice) => {
      if (stopped()) throw unavailable(new Error('the service stops'));
      // Not the pool's own limit: it refuses with an error that only its text tells from a failed rendering.
      if (pool.queueSize >= mayWait) throw unavailable(new Error(`${mayWait} invoices already wait to be made a PDF`));
      try {
        const { buffer, byteOffset, byteLength } = await pool.run(invoice);
        return Buffer.from(buffer, byteOffset, byteLength);
      } catch (error) {
        throw stopped() ? unavailable(error) : error;
      }
    },
    close: async () => {
      closed = true;
      await pool.destroy();
    },
  };
}
