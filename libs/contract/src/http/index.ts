export { cursorSeal, type CursorSeal } from './cursor.ts';
