/** The answer to kernel_info_request. The version is that of Python in Pyodide 314. */
export const kernelInfo = {
  status: 'ok',
  protocol_version: '5.3',
  implementation: 'pyodide',
  implementation_version: '314.0.7',
  banner: 'Python 3.14 (Pyodide)',
  help_links: [],
  supported_features: [],
  language_info: {
    name: 'python',
    version: '3.14.2',
    mimetype: 'text/x-python',
    file_extension: '.py',
    pygments_lexer: 'ipython3',
    codemirror_mode: { name: 'ipython', version: 3 },
    nbconvert_exporter: 'python',
  },
};
