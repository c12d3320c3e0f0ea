import type { ExportFileInput, ExportServiceHandlers } from '@platform-backend/contract-billing';
import { inMessages, type CallContext } from '@platform-backend/grpc';
import { daysBeginningWithin } from '../../usage/domain/days.ts';
import { csv } from '../domain/csv.ts';
import type { ExportFormat, FileFormat } from '../domain/exported.ts';
import type { Exported, ExportedRows, Period } from '../domain/exports.ts';
import { jsonLines } from '../domain/json-lines.ts';

const formats: Readonly<Record<ExportFormat, FileFormat>> = { csv, jsonl: jsonLines };

export const exportHandlers = (rows: ExportedRows): ExportServiceHandlers<CallContext> => ({
  exportCreditTransactions: ({ format, kind, clientGroupId, apiKeyId, memberId, ...period }, context) =>
    fileOf(
      'credit-transactions',
      format,
      rows.creditTransactions(context.organisationId(), {
        ...periodOf(period),
        ...{ kinds: kind, clientGroupId, apiKeyId, memberId },
      }),
    ),

  exportUsage: ({ format, createdAfter, createdBefore, ...of }, context) => {
    const { clientGroupId, apiKeyId, memberId } = of;
    const days = daysBeginningWithin(createdAfter ?? earliest, createdBefore ?? latest);
    return fileOf(
      'usage',
      format,
      rows.usage(context.organisationId(), { ...days, clientGroupId, apiKeyId, memberId }),
    );
  },

  exportInvoices: ({ format, ...period }, context) =>
    fileOf('invoices', format, rows.invoices(context.organisationId(), periodOf(period))),

  exportCreditNotes: ({ format, ...period }, context) =>
    fileOf('credit-notes', format, rows.creditNotes(context.organisationId(), periodOf(period))),

  exportPayments: ({ format, ...period }, context) =>
    fileOf('payments', format, rows.payments(context.organisationId(), periodOf(period))),
});

const earliest = new Date(0);
const latest = new Date('9999-12-31T00:00:00Z');

const periodOf = ({
  createdAfter,
  createdBefore,
}: {
  createdAfter: Date | null;
  createdBefore: Date | null;
}): Period => ({
  from: createdAfter,
  to: createdBefore,
});

/** Nothing is said before the first rows were read, so that a refusal is an ordinary answer. */
async function* fileOf(
  name: string,
  format: ExportFormat,
  { columns, batches }: Exported,
): AsyncGenerator<ExportFileInput> {
  const { mediaType, extension, head, line } = formats[format];
  const first = {
    contentType: mediaType,
    contentDisposition: `attachment; filename="${name}.${extension}"`,
    cacheControl: 'private, no-store',
    chunk: Buffer.from(head(columns)),
  };
  let hasBegun = false;
  for await (const batch of batches) {
    if (!hasBegun) yield first;
    hasBegun = true;
    yield* inMessages([Buffer.from(batch.map((row) => line(columns, row)).join(''))]);
  }
  if (!hasBegun) yield first;
}
