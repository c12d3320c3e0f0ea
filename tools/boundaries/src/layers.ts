/**
 * Inside a service imports point inwards: the domain stands on its own, so that its rules can be read and tested without
 * anything around them; `app` uses it; and every folder at the edge (api, store, reactions, clients, whatever else a service
 * has) uses these two and no other folder. Only the files beside the folders and those of `wiring`, with what `compose.ts`
 * needs in a service of some size (settings by area, the choice of an engine), put the parts together and may import everything.
 */
const innermost = 'domain';
const inner: readonly string[] = [innermost, 'app'];
const wiring = 'wiring';

/** Programs, the declaration and the composition of a service: all that lies beside its folders. */
const besideTheFolders = ['main.ts', 'step-pod.ts', 'service.ts', 'compose.ts'];

/** Does the file lie where a reader expects only the programs, declaration and composition of a service? */
export function liesLoose(pathInApp: string): boolean {
  const [source, file = '', ...rest] = pathInApp.split('/');
  return source === 'src' && rest.length === 0 && !besideTheFolders.includes(file);
}

/** All that the two inner layers may import from outside the service. */
export const innerPackages: readonly string[] = ['@platform-backend/core'];

/** And how a service's contract writes its own events. What they say is decided inside; the module holds types alone. */
export const ownEvents = (service: string): string => `${service.replace('/', '/contract-')}/events`;

/** Packages that belong to some layers of a service alone. */
const packagesOfLayers: readonly { readonly packages: RegExp; readonly layers: readonly string[] }[] = [
  { packages: /^@platform-backend\/(?:postgres|mongo)$/, layers: ['store'] },
  { packages: /^@platform-backend\/contract/, layers: ['api', 'clients', 'reactions', 'store'] },
  { packages: /^@platform-backend\/grpc$/, layers: ['api', 'clients'] },
];

/** The layer of a path inside a service (`src/domain/credits/account.ts`: domain); undefined for what puts layers together. */
export function layerOf(pathInApp: string): string | undefined {
  const [source, folder, ...rest] = pathInApp.split('/');
  return source === 'src' && rest.length > 0 && folder !== wiring ? folder : undefined;
}

/** May a file of this layer import the other path inside the same service? */
export function pointsInwards(layer: string, otherPathInApp: string): boolean {
  const other = layerOf(otherPathInApp);
  if (other === undefined) return false;
  return other === layer || (other === innermost ? true : inner.includes(other) && layer !== innermost);
}

/** Why a file of this layer may not import the package; undefined when it may. */
export function refusedPackage(layer: string, packageName: string): string | undefined {
  if (inner.includes(layer)) {
    return innerPackages.includes(packageName) ? undefined : `${layer} may use only ${innerPackages.join(', ')}`;
  }
  const rule = packagesOfLayers.find(({ packages }) => packages.test(packageName));
  return !rule || rule.layers.includes(layer) ? undefined : `in a service it belongs to ${rule.layers.join(', ')}`;
}
