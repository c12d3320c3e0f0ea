/**
 * Inside a service imports point inwards: the domain stands on its own, so that its rules can be read and tested without
 * anything around them; `app` uses it; and every folder at the edge (api, store, reactions, clients, whatever else there is)
 * uses these two and no other folder. Only the files beside the folders put the parts together.
 *
 * A service of areas has these layers in each of them. Areas build on each other in one direction, the order of `areas.ts`: the
 * domain of an area before it is open to all of an area, any other folder to the same one of it (tables to tables, messages to
 * messages), and its `area.ts` to `area.ts` alone.
 */
const innermost = 'domain';
const inner: readonly string[] = [innermost, 'app'];

/** What one layer of all areas has in common, and no other layer may name. */
const commonToLayers: Readonly<Record<string, string>> = {
  'record-events.ts': 'store',
  'created-within.ts': 'api',
};
/** Programs, the declaration, the composition and what all areas have in common: all that lies beside the folders of a service. */
const besideTheFolders = [
  ...[
    'main.ts',
    'operate.ts',
    'operate-coupons.ts',
    'operate-credits.ts',
    'operate-refunds.ts',
    'step-pod.ts',
    'service.ts',
    'areas.ts',
    'events.ts',
  ],
  ...Object.keys(commonToLayers),
];
/** What every part of a service may name: the events that it tells, of all areas. */
const eventsOfAll = 'src/events.ts';
/** What all that puts parts together may name: what a service declares gives an area the types of its parts. */
const declaration = 'src/service.ts';
/** What lies beside the folders of an area. */
const besideTheLayers = ['area.ts', 'settings.ts'];

/** Where a file lies in a service: in which area, of a service that has some, and in which layer. */
export interface Location {
  readonly area?: string;
  /** Absent for what puts the layers together. */
  readonly layer?: string;
}

/** The areas of a service in the order in which they build on each other; undefined of one that has none. */
export type AreaOrder = readonly string[] | undefined;

/** Does the file lie where a reader expects only what puts folders together? */
export function isOutsideLayers(pathInApp: string, areas: AreaOrder): boolean {
  const [source, folder = '', file, ...rest] = pathInApp.split('/');
  if (source !== 'src') return false;
  if (file === undefined) return !besideTheFolders.includes(folder);
  return areas !== undefined && (!areas.includes(folder) || (rest.length === 0 && !besideTheLayers.includes(file)));
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

/** `src/credits/domain/account.ts`: the layer `domain` of the area `credits`. */
export function locationOf(pathInApp: string, areas: AreaOrder): Location {
  const [source, folder = '', next = '', ...rest] = pathInApp.split('/');
  if (source !== 'src' || next === '') return {};
  if (!areas) return { layer: folder };
  return rest.length === 0 ? { area: folder } : { area: folder, layer: next };
}

/** May a file import another one of the same service? */
export function pointsInwards(path: string, otherPath: string, areas: AreaOrder): boolean {
  if (otherPath === eventsOfAll) return true;
  const [own, other] = [locationOf(path, areas), locationOf(otherPath, areas)];
  if (otherPath === declaration) return own.layer === undefined;
  const commonTo = commonToLayers[otherPath.replace('src/', '')];
  if (commonTo !== undefined) return own.layer === commonTo;
  if (own.area !== other.area) return own.area === undefined || mayBuildOn(own, other, areas ?? []);
  if (own.layer === undefined) return true;
  if (other.layer === undefined) return false;
  return (
    other.layer === own.layer || other.layer === innermost || (inner.includes(other.layer) && own.layer !== innermost)
  );
}

function mayBuildOn(own: Location, other: Location, areas: readonly string[]): boolean {
  if (other.area === undefined || areas.indexOf(other.area) >= areas.indexOf(own.area ?? '')) return false;
  return other.layer === innermost || other.layer === own.layer;
}

/** Why a file of this layer may not import the package; undefined when it may. */
export function refusedPackage(layer: string, packageName: string): string | undefined {
  if (inner.includes(layer)) {
    return innerPackages.includes(packageName) ? undefined : `${layer} may use only ${innerPackages.join(', ')}`;
  }
  const rule = packagesOfLayers.find(({ packages }) => packages.test(packageName));
  return !rule || rule.layers.includes(layer) ? undefined : `in a service it belongs to ${rule.layers.join(', ')}`;
}
