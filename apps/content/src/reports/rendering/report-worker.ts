import { reportHtml } from './report-html.ts';
import { reportPdf, type DatedReport } from './report-pdf.ts';

export interface RenderingTask {
  readonly format: 'html' | 'pdf';
  readonly report: DatedReport;
}

/** The fonts are read once, when the first PDF is wanted. */
let pdf: ReturnType<typeof reportPdf> | undefined;

/** What the threads of `report-pages.ts` do. */
export default async function render({ format, report }: RenderingTask): Promise<Uint8Array> {
  if (format === 'html') return Buffer.from(reportHtml(report));
  pdf ??= reportPdf();
  return pdf(report);
}
