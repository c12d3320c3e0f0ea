export { cursorSeal, type CursorSeal } from './cursor.ts';
export { rendererCompiler, type Rendered, type Renderer } from './render.ts';
export type { ParsedRequest, RequestFailure, RequestParts } from './request-parts.ts';
export type { RequestParser } from './parse-request.ts';
export { compileRoutes, type Match, type Route, type RouteOptions, type Routes } from './routes.ts';
export { apiVersion, openApi } from './openapi.ts';
