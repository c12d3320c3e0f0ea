export { cursorSeal, type CursorSeal } from './cursor.ts';
export { rendererCompiler, type Rendered, type Renderer } from './render.ts';
