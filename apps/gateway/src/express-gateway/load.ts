import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads a part of express-gateway, which is CommonJS without types; `T` is what we know of it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of an untyped module
export const requireExpressGateway = <T>(part = ''): T => require(`express-gateway${part}`) as T;
