/**
 * Inside a service imports point inwards: api, reactions and store use app, app uses domain. The domain
 * stands on its own, so that its rules can be read and tested without anything around them. main.ts and
 * compose.ts put the parts together and may import everything.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  domain: ['domain'],
  app: ['app', 'domain'],
  api: ['api', 'app', 'domain'],
  reactions: ['reactions', 'app', 'domain'],
  store: ['store', 'app', 'domain'],
};

/** All that the domain may import from outside the service. */
export const domainPackages: readonly string[] = ['@platform/core'];

/** The layer of a path inside an app (`src/domain/credits/account.ts`); undefined outside the layers. */
export function layerOf(pathInApp: string): string | undefined {
  const [source, layer = ''] = pathInApp.split('/');
  return source === 'src' && layer in mayImport ? layer : undefined;
}

/** May a file of this layer import the other path inside the same app? */
export function pointsInwards(layer: string, otherPathInApp: string): boolean {
  const other = layerOf(otherPathInApp);
  return other !== undefined && (mayImport[layer] ?? []).includes(other);
}
