import { declareError } from '@platform-backend/core';

export const fileNotFound = declareError('not_found', 'file_not_found', 'File not found');
export const notAFilePath = declareError(
  'malformed',
  'not_a_file_path',
  'This is no path of a file in the folder of a notebook: {reason}',
);
export const filePathTaken = declareError('conflict', 'file_path_taken', 'At {path} is something else already');
export const folderFull = declareError('conflict', 'folder_full', '{reason}');
export const fileChanged = declareError('conflict', 'file_changed', 'Somebody else has written the file meanwhile');
