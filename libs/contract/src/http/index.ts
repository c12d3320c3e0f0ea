export { asyncApi } from './asyncapi.ts';
export { cursorSeal } from './cursor.ts';
export { rendererCompiler } from './render.ts';
export type { ParsedRequest, RequestParts } from './request-parts.ts';
export { compileRoutes, type Route, type Routes } from './routes.ts';
export type { Channel, Download, EventStream, Stream, Upload } from './streams.ts';
export { apiVersion, openApi } from './openapi.ts';
export { maxCursorLength } from '../plans/scalar-plan.ts';
