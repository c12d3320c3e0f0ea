/** All objects of datasets of an organisation lie below it. */
export const objectsOf = (organisationId: string): string => `datasets/${organisationId}/`;

export const versionKey = (organisationId: string, versionId: string): string =>
  `${objectsOf(organisationId)}versions/${versionId}`;

export const uploadKey = (organisationId: string, datasetId: string, uploadId: string): string =>
  `${objectsOf(organisationId)}uploads/${datasetId}/${uploadId}`;

/** What is written down for the pods of a run, and what they report, lies below it. */
export const runObjects = (organisationId: string, runId: string): string =>
  `${objectsOf(organisationId)}runs/${runId}/`;

/** Of the key of an upload; undefined for any other. */
export function datasetOfUpload(
  key: string,
): { readonly organisationId: string; readonly datasetId: string } | undefined {
  const [, organisationId, datasetId] = /^datasets\/([^/]+)\/uploads\/([^/]+)\/[^/]+$/.exec(key) ?? [];
  return organisationId === undefined || datasetId === undefined ? undefined : { organisationId, datasetId };
}

/** Of the key of what a pod reports of its step; undefined for any other. */
export function stepOfReport(
  key: string,
): { readonly organisationId: string; readonly runId: string; readonly stepIndex: number } | undefined {
  const [, organisationId, runId, stepIndex] =
    /^datasets\/([^/]+)\/runs\/([^/]+)\/(\d+)\.(?:report|failure-\d+)$/.exec(key) ?? [];
  if (organisationId === undefined || runId === undefined) return undefined;
  return { organisationId, runId, stepIndex: Number(stepIndex) };
}

/** Of the key of a version, which a pod may be about to put there; undefined for any other. */
export const organisationOfVersion = (key: string): string | undefined =>
  /^datasets\/([^/]+)\/versions\/[^/]+$/.exec(key)?.[1];
