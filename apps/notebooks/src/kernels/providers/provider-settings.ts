import { integer, json, list, oneOf, optional, secret, text, url } from '@platform-backend/core';
import { isKernelspecs } from './kernelspecs.ts';

/** What kernels there are, and what one of them may take. */
export const providerSettings = {
  NOTEBOOKS_KERNEL_MEMORY_MB: integer({
    default: 512,
    min: 128,
    max: 65_536,
    description: 'memory of one kernel, above which it dies',
  }),
  NOTEBOOKS_KERNEL_EXECUTE_SECONDS: integer({
    default: 600,
    min: 1,
    max: 86_400,
    description: 'longest execution of one cell',
  }),
  NOTEBOOKS_KERNEL_OUTPUT_MB: integer({ default: 10, min: 1, max: 1_024, description: 'most output of one cell' }),
  NOTEBOOKS_FOLDER_MB: integer({
    default: 64,
    min: 1,
    max: 1_024,
    description: 'files in the folder of a notebook, and room for what the cells of a kernel write',
  }),
  NOTEBOOKS_WARM_KERNELS: integer({
    default: 1,
    min: 0,
    max: 100,
    description:
      'kernels that each replica keeps ready from the first start on, so that the next ones are quick; each holds some 170 MB',
  }),
  TMPDIR: optional(
    text({
      defaultDescription: '`/tmp`',
      example: '/var/lib/platform/work',
      description:
        'where the snapshot lies from which kernels begin, some 30 MB; in a container that is best a disk, as temporary files may be memory',
    }),
  ),
  BWRAP_BINARY: optional(
    text({
      defaultDescription: 'on `PATH`, else Debian’s package',
      description: 'bubblewrap, the sandbox of kernels; without one they are refused',
    }),
  ),
  NOTEBOOKS_WITHOUT_SANDBOX: oneOf(['refuse', 'allow'], {
    default: 'refuse',
    description:
      'what becomes of kernels where there is no bubblewrap: `allow` has the programs of members run as the service itself, with all that it may read, for the first organisation that starts one',
  }),
  PYODIDE_PACKAGES: optional(
    text({
      description:
        'a folder with a distribution of Pyodide, its wheels and their lock file, for packages such as pandas',
    }),
  ),
  NOTEBOOKS_WHEELS: secret(
    list({
      default: [],
      example: 'https://cdn.jsdelivr.net/pyodide/v314.0.7/full/,https://pypi.org/simple/',
      description:
        'where the service fetches wheels for kernels in Pyodide, once: folders, addresses of a distribution of Pyodide, and indexes of Python packages, in this order; an address may have a name and a password',
    }),
  ),
  NOTEBOOKS_PACKAGES: list({
    default: ['numpy', 'pandas', 'matplotlib', 'ipywidgets'],
    example: 'numpy,pandas,scikit-learn>=1.5',
    description:
      'packages that the kernels in Pyodide have from `NOTEBOOKS_WHEELS`, with what those require: for `import` and `%pip install`, and no others',
  }),
  NOTEBOOKS_KERNELSPECS: optional(
    json(isKernelspecs, {
      mustBe:
        'a JSON array of up to 20 kernelspecs: `name` (lower-case letters, digits and `-`, each one once), and unless they are the usual `display_name`, `python`, `memory_mb` (128 to 65,536) and `packages`',
      example: '[{"name":"python3"},{"name":"large","display_name":"Python (2 GB)","memory_mb":2048}]',
      secret: false,
      description:
        'kernels of several environments and sizes, of which clients and notebooks choose by name; the first one is the usual. With `python` one is an ipykernel of that Python, else Pyodide’s',
    }),
  ),
  NOTEBOOKS_PYTHON: optional(
    text({
      example: 'python3',
      description: 'a Python that has ipykernel, such as `python3`; its kernels take the place of Pyodide’s',
    }),
  ),
  JUPYTER_URL: optional(
    url({
      protocols: ['https', 'http'],
      example: 'http://jupyter:8888/',
      description: 'a Jupyter Server or Enterprise Gateway, whose kernels are used instead of any here',
    }),
  ),
  JUPYTER_TOKEN: optional(secret(text({ description: 'its token' }))),
  PLATFORM_HOME: optional(
    text({ description: 'the folder of `npm start`, in which programs that were unpacked are kept' }),
  ),
};
