import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  isUnused,
  isUnusedByWorkers,
  packageAndPath,
  pruneForWorkers,
  type Machine,
} from '../../../deploy/prune-packages.ts';

const here: Machine = { platform: 'linux', arch: 'x64', libc: 'glibc' };
const unused = (paths: readonly string[], name = 'some', machine = here): string[] =>
  paths.filter((path) => isUnused(name, path, machine));

describe('what an image needs of a package', () => {
  it('is neither a map, a type, a source in TypeScript nor a text', () => {
    const all = ['index.js', 'index.js.map', 'index.d.ts', 'index.d.mts', 'src/index.ts', 'README.md', 'data.json'];
    expect(unused(all)).toEqual(['index.js.map', 'index.d.ts', 'index.d.mts', 'src/index.ts', 'README.md']);
  });

  it('is every licence', () => {
    expect(unused(['LICENSE.md', 'LICENCE', 'docs/license.txt', 'NOTICE.markdown', 'CHANGELOG.md'])).toEqual([
      'CHANGELOG.md',
    ]);
    // Of what others have written, too.
    expect(unused(['THIRD-PARTY-NOTICES.md'])).toEqual([]);
    const ofBundle = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.js'];
    expect(unused(ofBundle, 'swagger-ui-dist')).toEqual(['swagger-ui.js']);
  });

  it('is no test, text or example of the package, but code whose file is named like one', () => {
    expect(unused(['test/a.js', 'docs/a.js', 'example/a.js', 'dist/doc/a.js', 'lib/test/a.js', 'test.js'])).toEqual([
      'test/a.js',
      'docs/a.js',
      'example/a.js',
    ]);
  });

  it('is compiled code for this machine alone', () => {
    const zeromq = [
      'build/linux/x64/node/glibc-127-Release/addon.node',
      'build/linux/x64/node/musl-127-Release/addon.node',
      'build/linux/x64/node/115/addon.node',
      'build/linux/arm64/node/glibc-127-Release/addon.node',
      'build/darwin/x64/node/115/addon.node',
      'build/win32/ia32/node/115/addon.node',
      'build/manifest.json',
    ];
    expect(unused(zeromq, 'zeromq')).toEqual([zeromq[1], ...zeromq.slice(3, 6)]);
    const prebuilds = ['prebuilds/linux-x64/node.napi.node', 'prebuilds/darwin-x64+arm64/node.napi.node'];
    expect(unused(prebuilds)).toEqual([prebuilds[1]]);
    expect(unused(prebuilds, 'some', { ...here, arch: 'arm64' })).toEqual(prebuilds);
    expect(unused(['prebuilds/linux-x64/node.napi.musl.node', 'prebuilds/linux-x64/node.napi.glibc.node'])).toEqual([
      'prebuilds/linux-x64/node.napi.musl.node',
    ]);
  });

  it('is the faces of a typeface that are read', () => {
    const path = (face: string) => `${face}/Noto_${face}.ttf`;
    const paths = ['package.json', 'LICENSE_FONT', ...['400Regular', '700Bold', '400Regular_Italic'].map(path)];
    expect(unused(paths, '@expo-google-fonts/noto-sans')).toEqual([path('400Regular_Italic')]);
    expect(unused(paths, '@expo-google-fonts/ibm-plex-sans-arabic')).toEqual([path('400Regular_Italic')]);
    expect(unused(paths, '@expo-google-fonts/noto-emoji')).toEqual(['700Bold', '400Regular_Italic'].map(path));
  });

  it('is no build for browsers or bundlers', () => {
    expect(unused(['js/pdfkit.js', 'js/pdfkit.es.js', 'js/pdfkit.standalone.js'], 'pdfkit')).toEqual([
      'js/pdfkit.es.js',
      'js/pdfkit.standalone.js',
    ]);
    expect(unused(['dist/main.cjs', 'dist/module.mjs', 'dist/browser-module.mjs', 'src/a.js'], 'fontkit')).toEqual([
      'dist/browser-module.mjs',
      'src/a.js',
    ]);
    expect(unused(['lib/index.js', 'mammoth.browser.js'], 'mammoth')).toEqual(['mammoth.browser.js']);
    expect(unused(['dist-cjs/index.js', 'dist-es/index.js'], '@smithy/core')).toEqual(['dist-es/index.js']);
  });

  it('is of what addons are compiled with no more than npm knows it by', () => {
    expect(unused(['napi.h', 'index.js', 'package.json'], 'node-addon-api')).toEqual(['napi.h', 'index.js']);
    expect(unused(['src/context.cc', 'lib/index.js'], 'zeromq')).toEqual(['src/context.cc']);
  });

  it('is the one way of asking Kubernetes and the one size of what languages look like', () => {
    const types = ['ObjectParamAPI.js', 'ObservableAPI.js', 'PromiseAPI.js'].map((name) => `dist/gen/types/${name}`);
    expect(unused(types, '@kubernetes/client-node')).toEqual([types[2]]);
    const languages = ['ngrams/extrasmall.js', 'ngrams/large.js', 'entries/static.extrasmall.js', 'entries/dynamic.js'];
    const paths = languages.map((name) => `src/${name}`);
    expect(unused([...paths, 'src/dictionary.js'], 'eld')).toEqual([paths[1], paths[3]]);
  });

  it('is what notebooks are highlighted and set with, without styles', () => {
    expect(unused(['lib/common.js', 'es/common.js', 'styles/a.css', 'package.json'], 'highlight.js')).toEqual([
      'es/common.js',
      'styles/a.css',
    ]);
    expect(
      unused(['dist/katex.js', 'dist/katex.mjs', 'dist/fonts/a.woff', 'src/a.js', 'package.json'], 'katex'),
    ).toEqual(['dist/katex.mjs', 'dist/fonts/a.woff', 'src/a.js']);
  });

  it('is the one encoding of the tokenizer that is used', () => {
    const paths = ['esm/bpeRanks/o200k_base.js', 'esm/bpeRanks/cl100k_base.js', 'esm/GptEncoding.js', 'cjs/main.js'];
    expect(unused(paths, 'gpt-tokenizer')).toEqual([paths[1], paths[3]]);
  });
});

describe('what is left of packages where somebody works', () => {
  it('is all that a compiler reads', () => {
    const all = [
      'index.js',
      'index.js.map',
      'index.d.ts',
      'dist-es/index.d.ts',
      'dist-es/index.js',
      'src/a.ts',
      'A.md',
    ];
    expect(all.filter((path) => isUnusedByWorkers('some', path, false, here))).toEqual([
      'index.js.map',
      'dist-es/index.js',
      'A.md',
    ]);
  });

  it('is all but maps of those that are for working alone, and of the others what somebody reads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'prune-'));
    const write = (path: string, text = '') => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const [engine, linter, nested] = ['node_modules/engine', 'node_modules/linter', 'apps/a/node_modules/engine'];
    const packages = { '': {}, 'apps/a': {}, [engine]: {}, [linter]: { dev: true }, [nested]: {} };
    write('package-lock.json', JSON.stringify({ packages }));
    for (const at of [engine, linter, nested, 'node_modules/unlisted', 'apps/a/src'])
      for (const name of ['index.js', 'index.js.map', 'docs/a.html']) write(`${at}/${name}`);
    mkdirSync(join(folder, 'node_modules/.cache/tool/new'), { recursive: true });
    pruneForWorkers(folder, here);
    const files = (at: string) => readdirSync(join(folder, at)).toSorted();
    expect([files(engine), files(nested)]).toEqual([['index.js'], ['index.js']]);
    expect(files(linter)).toEqual(['docs', 'index.js']);
    for (const at of ['node_modules/unlisted', 'apps/a/src'])
      expect(files(at)).toEqual(['docs', 'index.js', 'index.js.map']);
    expect(files('node_modules/.cache/tool')).toEqual(['new']);
    rmSync(folder, { recursive: true });
  });
});

describe('a file below node_modules', () => {
  it('belongs to the innermost package', () => {
    expect(packageAndPath('node_modules/a/lib/b.js')).toEqual({ name: 'a', path: 'lib/b.js' });
    expect(packageAndPath('apps/x/node_modules/@s/a/node_modules/b/c.js')).toEqual({ name: 'b', path: 'c.js' });
    expect(packageAndPath('node_modules/x/node_modules/@s/a/c.js')).toEqual({ name: '@s/a', path: 'c.js' });
    expect(packageAndPath('node_modules/@s/a/c.js')).toEqual({ name: '@s/a', path: 'c.js' });
  });

  it('may be npm’s own, and what is beside it is no package', () => {
    expect(packageAndPath('node_modules/.package-lock.json')).toBeUndefined();
    expect(packageAndPath('apps/identity/src/main.ts')).toBeUndefined();
  });
});
