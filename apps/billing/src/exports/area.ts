import type { Area } from '@platform-backend/service';
import type { BillingContext, service } from '../service.ts';
import { exportHandlers } from './api/export-handlers.ts';
import { exportedRows } from './store/exported-rows.ts';

/** Exports: the ledger, usage, invoices, credit notes and payments as files. */
export const exportsArea = ({ storage }: BillingContext) =>
  ({
    handlers: { ExportService: exportHandlers(exportedRows(storage.database)) },
    exports: {},
  }) satisfies Area<typeof service.declaration>;
