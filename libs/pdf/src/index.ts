export * from './pdf-pages.ts';
export * from './write-pdf.ts';
