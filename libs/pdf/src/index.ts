export * from './pdf-pages.ts';
export { directionOf, type Direction } from './turned-text.ts';
export * from './write-pdf.ts';
