/**
 * Inside a service imports point inwards: the domain stands on its own, so that its rules can be read and tested without
 * anything around them; `app` uses it; and every folder at the edge (api, store, reactions, clients, whatever else a service
 * has) uses these two and no other folder. Only the files beside the folders, `main.ts`, `service.ts` and `compose.ts`,
 * put the parts together and may import everything.
 */
const innermost = 'domain';
const inner: readonly string[] = [innermost, 'app'];

/** All that the two inner layers may import from outside the service. */
export const innerPackages: readonly string[] = ['@platform/core'];

/** And how a service's contract writes its own events. What they say is decided inside; the module holds types alone. */
export const ownEvents = (service: string): string => `${service.replace('/', '/contract-')}/events`;

/** Packages that belong to some folders of a service alone. */
const packagesOfFolders: readonly { readonly packages: RegExp; readonly folders: readonly string[] }[] = [
  { packages: /^@platform\/(?:postgres|mongo)$/, folders: ['store'] },
  { packages: /^@platform\/contract/, folders: ['api', 'clients', 'reactions', 'store'] },
  { packages: /^@platform\/grpc$/, folders: ['api', 'clients'] },
];

/** The folder of a path inside a service (`src/domain/credits/account.ts`); undefined for what lies beside the folders. */
export function folderOf(pathInApp: string): string | undefined {
  const [source, folder, ...rest] = pathInApp.split('/');
  return source === 'src' && rest.length > 0 ? folder : undefined;
}

/** May a file of this folder import the other path inside the same service? */
export function pointsInwards(folder: string, otherPathInApp: string): boolean {
  const other = folderOf(otherPathInApp);
  if (other === undefined) return false;
  return other === folder || (other === innermost ? true : inner.includes(other) && folder !== innermost);
}

/** Why a file of this folder may not import the package; undefined when it may. */
export function refusedPackage(folder: string, packageName: string): string | undefined {
  if (inner.includes(folder)) {
    return innerPackages.includes(packageName) ? undefined : `${folder} may use only ${innerPackages.join(', ')}`;
  }
  const rule = packagesOfFolders.find(({ packages }) => packages.test(packageName));
  return !rule || rule.folders.includes(folder) ? undefined : `in a service it belongs to ${rule.folders.join(', ')}`;
}
