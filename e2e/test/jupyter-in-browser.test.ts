import { afterAll, describe, expect, it } from '@jest/globals';
import { missingPrograms } from '@platform-backend/system-programs';
import { repetitions, waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { openClassicNotebook, type ClassicNotebook, type SeenCell } from '../src/classic-notebook.ts';
import { DEBIAN_PYTHON, kernelsForOneLack, pythonLack } from '../src/kernels-here.ts';
import { newCustomer } from '../src/people.ts';
import { platformWithKernels } from '../src/platform-with-kernels.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();
const lack =
  (repetitions({ usual: 0, long: 1 }) === 0 ? 'only the long form of a run does it' : undefined) ??
  (await kernelsForOneLack()) ??
  missingPrograms('chromium') ??
  (await pythonLack('notebook, ipykernel, matplotlib'));

const opened: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of opened.reverse()) await close();
});

const kernels = {
  ipykernel: {
    url: async () => {
      const { url, stop } = await platformWithKernels(platform, 'browser', { NOTEBOOKS_PYTHON: DEBIAN_PYTHON });
      opened.push(stop);
      return url;
    },
    plot: '%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()',
  },
  Pyodide: {
    url: () => Promise.resolve(platform.url),
    plot: `class Plot:\n  def _repr_svg_(self): return '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0 L9 9"/></svg>'\nPlot()`,
  },
};

const answered = async (notebook: ClassicNotebook, source: string): Promise<SeenCell> => {
  await notebook.run(source);
  let seen: SeenCell | undefined;
  await waitFor(
    async () => {
      seen = await notebook.last();
      return seen.isOver && /^\d+$/.test(seen.prompt);
    },
    { what: `the end of the cell ${source}` },
  );
  if (!seen) throw new Error('no cell');
  return seen;
};

describeWhere(lack, 'the classic Notebook in a browser, with kernels of the platform', () => {
  for (const [make, { url, plot }] of Object.entries(kernels))
    describe(make, () => {
      it('runs cells, shows a plot and 10 MiB of text, and goes on after exit()', async () => {
        const { token } = await newCustomer(platform, 'Ada');
        const notebook = await openClassicNotebook(`${await url()}/notebooks/services/session`, token);
        opened.push(() => notebook.stop());
        expect(await answered(notebook, 'x = 6 * 7\nx')).toMatchObject({ text: expect.stringContaining('42') });
        expect(await answered(notebook, plot)).toMatchObject({ pictures: 1 });
        const long = await answered(notebook, "print('y' * 10 * 2 ** 20)\nprint('end')");
        expect(long.length).toBeGreaterThan(9_000_000);
        expect(long.text).toContain('The output is longer than 10485760 bytes');
        expect(await answered(notebook, 'x + 1')).toMatchObject({ text: expect.stringContaining('43') });
        await notebook.run('exit()');
        await waitFor(async () => (await notebook.told()).includes('The kernel appears to have died'), {
          what: 'the word that the kernel begins again',
        });
        const again = await answered(notebook, "x if 'x' in dir() else 'begun again'");
        expect(again).toMatchObject({ prompt: '1', text: expect.stringContaining('begun again') });
      });
    });
});
