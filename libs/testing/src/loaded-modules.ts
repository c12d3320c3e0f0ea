import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from './process-environment.ts';

/** The URLs of all modules that a process loads for one, without those of Node. `from`: the URL of the module that asks. */
export function loadedModules(name: string, from: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(name)});
    console.log(JSON.stringify(urls));
    process.exit();`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('.', from)),
    env: processEnvironment(),
    encoding: 'utf8',
  });
  return (JSON.parse(printed) as string[]).filter((url) => url.startsWith('file:'));
}

/** Those of packages, by the name of the package. */
export const packagesOf = (urls: readonly string[]): Set<string> =>
  new Set(urls.flatMap((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []));
