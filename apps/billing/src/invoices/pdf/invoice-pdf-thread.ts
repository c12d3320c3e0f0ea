import { fairSemaphore, unavailable } from '@platform-backend/core';
import { Piscina } from 'piscina';
import type { Invoice } from '../domain/invoice.ts';
import type { InvoiceDocument } from '../domain/invoices.ts';

export interface InvoicePdfThread {
  /** UNAVAILABLE: too many wait already, of the organisation or in all, or the service stops. */
  readonly document: InvoiceDocument;
  /** Ends the thread; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/**
 * Invoices as PDFs, made one after the other in a thread of their own: the service goes on answering meanwhile. The
 * organisations take turns, so that one which wants many keeps no other waiting. The thread is there only while it is
 * needed.
 */
export function invoicePdfThread({ mayWait = 64, mayWaitOfOne = 16, timeoutMs = 5_000 } = {}): InvoicePdfThread {
  const turns = fairSemaphore({
    places: 1,
    share: 1,
    maxWaiting: mayWaitOfOne,
    maxWaitingInAll: mayWait,
    timeoutMs,
  });
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
      return turns.inTurn('tenants', invoice.organisationId, async () => {
        try {
          const { buffer, byteOffset, byteLength } = await pool.run(invoice);
          return Buffer.from(buffer, byteOffset, byteLength);
        } catch (error) {
          throw stopped() ? unavailable(error) : error;
        }
      });
    },
    close: async () => {
      closed = true;
      await pool.destroy();
    },
  };
}
