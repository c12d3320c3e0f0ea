import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { businessWordIn } from './business-words.ts';
import { isOutsideLayers, ownEvents, locationOf, pointsInwards, refusedPackage } from './layers.ts';
import type { Import, SourceFile } from './source-file.ts';
import type { Project, ProjectKind, Workspace } from './workspace.ts';

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Which kinds of project each kind may build on. */
const mayBuildOn: Readonly<Record<ProjectKind, readonly ProjectKind[]>> = {
  app: ['lib', 'contract'],
  lib: ['lib'],
  contract: ['lib', 'contract'],
  tool: ['app', 'lib', 'contract', 'tool'],
};

/** Packages that one project hides from all others, so that they can be exchanged in one place. */
const onlyIn: readonly { readonly packages: RegExp; readonly directory: string }[] = [
  { packages: /^(?:nats$|@nats-io\/)/, directory: 'libs/events' },
  { packages: /^mongoose$/, directory: 'libs/mongo' },
  { packages: /^express-gateway$/, directory: 'apps/gateway' },
  { packages: /^prom-client$/, directory: 'libs/core' },
];

/** Everything that is wrong with one file. */
export function checkFile(file: SourceFile, workspace: Workspace): Violation[] {
  const project = workspace.projects.find(({ directory }) => file.path.startsWith(`${directory}/`));
  if (!project) return [];
  const imports = file.imports.flatMap((imported) =>
    checkImport(file.path, imported, project, workspace).map((message) => violation(file, imported.line, message)),
  );
  return [...imports, ...checkLocation(file, project), ...checkWords(file, project)];
}

function checkImport(path: string, { specifier }: Import, project: Project, workspace: Workspace): string[] {
  if (specifier.startsWith('.') || specifier.startsWith('/')) return checkRelative(path, specifier, project, workspace);
  if (isBuiltin(specifier)) return checkLayer(path, specifier, project);
  const packageName = packageOf(specifier);
  return [
    ...checkKind(packageName, project, workspace),
    ...checkDeclared(path, packageName, project, workspace),
    ...checkOwner(packageName, project),
    ...(specifier === ownEvents(project.name) ? [] : checkLayer(path, packageName, project)),
  ];
}

/** Files of another project are reached by its name, or Nx would not know that one needs the other. */
function checkRelative(path: string, specifier: string, project: Project, workspace: Workspace): string[] {
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith(`${project.directory}/`)) {
    const other = workspace.projects.find(({ directory }) => target.startsWith(`${directory}/`));
    if (!other)
      return isTestOrTool(path, project) ? [] : [`imports ${specifier}, which lies outside ${project.directory}`];
    return [`imports ${specifier} of ${other.directory}: another project is imported by its name, ${other.name}`];
  }
  const [own, other] = [within(path, project), within(target, project)];
  if (!isService(project) || isTest(path) || pointsInwards(own, other, project.areas)) return [];
  const [{ area, layer = area }, { area: otherArea }] = [
    locationOf(own, project.areas),
    locationOf(other, project.areas),
  ];
  if (area === otherArea) return [`imports ${other}: ${String(layer)} may import only what lies further inside`];
  return [
    `imports ${other}: of areas before its own it may import domain/ and its own layer, and nothing of the others`,
  ];
}

/** The gateway is no service: it has no domain. */
const isService = ({ kind, directory }: Project): boolean => kind === 'app' && directory !== 'apps/gateway';

const layerInService = (path: string, project: Project): string | undefined =>
  isService(project) && !isTest(path) ? locationOf(within(path, project), project.areas).layer : undefined;

function checkLocation(file: SourceFile, project: Project): Violation[] {
  if (!isService(project) || !isOutsideLayers(within(file.path, project), project.areas)) return [];
  return [violation(file, 1, 'belongs into a layer of an area of areas.ts')];
}

function checkKind(packageName: string, project: Project, { projects }: Workspace): string[] {
  const target = projects.find(({ name }) => name === packageName);
  if (!target || target === project || mayBuildOn[project.kind].includes(target.kind)) return [];
  return [`imports ${packageName}: ${plural[project.kind]} may not build on ${plural[target.kind]}`];
}

const plural: Readonly<Record<ProjectKind, string>> = {
  app: 'apps',
  lib: 'libraries',
  contract: 'contracts of domains',
  tool: 'tools',
};

function checkDeclared(path: string, packageName: string, project: Project, workspace: Workspace): string[] {
  if (packageName === project.name || project.dependencies.has(packageName)) return [];
  const isDevelopment = project.devDependencies.has(packageName) || workspace.sharedDevDependencies.has(packageName);
  if (isDevelopment && isTestOrTool(path, project)) return [];
  const where = `${project.directory}/package.json`;
  if (isDevelopment) return [`imports ${packageName}, which is in ${where} for development only`];
  return [`imports ${packageName}, which ${where} does not declare`];
}

function checkOwner(packageName: string, project: Project): string[] {
  const rule = onlyIn.find(({ packages }) => packages.test(packageName));
  if (!rule || rule.directory === project.directory) return [];
  return [`imports ${packageName}, which only ${rule.directory} may use`];
}

function checkLayer(path: string, packageName: string, project: Project): string[] {
  const layer = layerInService(path, project);
  const reason = layer === undefined ? undefined : refusedPackage(layer, packageName);
  return reason === undefined ? [] : [`imports ${packageName}: ${reason}`];
}

function checkWords(file: SourceFile, project: Project): Violation[] {
  if (project.kind !== 'lib' || isTest(file.path) || file.path.includes('/generated/')) return [];
  return file.names.flatMap(({ text, line }) => {
    const word = businessWordIn(text);
    return word === undefined ? [] : [violation(file, line, `says "${word}": libraries know no business`)];
  });
}

/** Tests and measurements, which never run in production. */
const isTest = (path: string): boolean => path.endsWith('.test.ts') || /\/(?:test|bench)\//.test(path);

/** These run only where development packages are installed. */
const isTestOrTool = (path: string, project: Project): boolean => project.kind === 'tool' || isTest(path);

const within = (path: string, project: Project): string => path.slice(project.directory.length + 1);

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const violation = ({ path }: SourceFile, line: number, message: string): Violation => ({ path, line, message });
