// Generated from protos/platform/notebooks/v1 by `npm run generate`. Do not edit.
import type { ClientCall, ClientStream, Handler, Int64Input, JsonObject, JsonObjectInput, JsonValue, JsonValueInput, StreamHandler } from '@platform-backend/contract/messages';
import type { SortOrder } from '@platform-backend/contract/options';

/** What handles each of its services. */
export interface NotebooksHandlers<Context> {
  JupyterService: JupyterServiceHandlers<Context>;
  JupyterContentsService: JupyterContentsServiceHandlers<Context>;
  NotebookService: NotebookServiceHandlers<Context>;
  KernelHostService: KernelHostServiceHandlers<Context>;
  KernelJobService: KernelJobServiceHandlers<Context>;
  KernelService: KernelServiceHandlers<Context>;
  NotebookEnvironmentService: NotebookEnvironmentServiceHandlers<Context>;
  NotebookFolderService: NotebookFolderServiceHandlers<Context>;
  NotebookRunService: NotebookRunServiceHandlers<Context>;
}

/** JupyterService is what a Jupyter Server shows of kernels and sessions, for clients that know one. */
export interface JupyterServiceHandlers<Context> {
  /** Which Jupyter server clients may take this for; they ask it first. */
  getJupyterVersion: Handler<GetJupyterVersionRequest, JupyterVersionInput, Context>;
  /** How many kernels of the organisation run, and when they were last used. */
  getJupyterStatus: Handler<GetJupyterStatusRequest, JupyterStatusInput, Context>;
  /** Who calls, as Jupyter clients show it. */
  getJupyterIdentity: Handler<GetJupyterIdentityRequest, JupyterIdentityInput, Context>;
  /** The kinds of kernels that can be started, and the usual one. */
  listKernelSpecs: Handler<ListKernelSpecsRequest, KernelSpecsInput, Context>;
  /** One kind of kernel. */
  getKernelSpec: Handler<GetKernelSpecRequest, JupyterKernelSpecInput, Context>;
  /** The picture of a kind of kernel, for the pages of clients, which show it without a credential. */
  getKernelLogo: Handler<GetKernelLogoRequest, KernelLogoInput, Context>;
  /** The kernels of the organisation that run. */
  listKernels: Handler<ListKernelsRequest, ListKernelsResponseInput, Context>;
  /** Starts a kernel, which costs credits by the minute until it is stopped. */
  startKernel: Handler<StartKernelRequest, JupyterKernelInput, Context>;
  /** One kernel. */
  getKernel: Handler<GetKernelRequest, JupyterKernelInput, Context>;
  /** The same kernel anew, without its memory; one that is dead is begun again. PAYMENT_REQUIRED, */
  restartKernel: Handler<RestartKernelRequest, JupyterKernelInput, Context>;
  /** Ends a kernel and its sessions, and asks for the credits of no further minute. */
  stopKernel: Handler<StopKernelRequest, StopKernelResponseInput, Context>;
  /** A WebSocket: frames of the subprotocol `v1.kernel.websocket.jupyter.org`, or the JSON of clients that name none. */
  openChannels: StreamHandler<AsyncIterable<OpenChannelsRequest>, OpenChannelsAnswerInput, Context>;
  /** The sessions of the organisation: which notebook has which kernel. */
  listSessions: Handler<ListSessionsRequest, ListSessionsResponseInput, Context>;
  /**
   * With a kernel that runs (`kernel.id`) or a new one of a kind (`kernel.name`), as `StartKernel`. A path that has a
   * session is answered with it.
   */
  createSession: Handler<CreateSessionRequest, JupyterSessionInput, Context>;
  /** One session with its kernel. */
  getSession: Handler<GetSessionRequest, JupyterSessionInput, Context>;
  /**
   * Changes what is given: path, name, type, and the kernel, of which the former one is stopped. Credits are asked for
   * where another kernel starts.
   */
  updateSession: Handler<UpdateSessionRequest, JupyterSessionInput, Context>;
  /** Its kernel stops, too. */
  deleteSession: Handler<DeleteSessionRequest, DeleteSessionResponseInput, Context>;
}

/** JupyterService is what a Jupyter Server shows of kernels and sessions, for clients that know one. */
export interface JupyterServiceClient<Options = unknown> {
  /** Which Jupyter server clients may take this for; they ask it first. */
  getJupyterVersion: ClientCall<GetJupyterVersionRequestInput, JupyterVersion, Options>;
  /** How many kernels of the organisation run, and when they were last used. */
  getJupyterStatus: ClientCall<GetJupyterStatusRequestInput, JupyterStatus, Options>;
  /** Who calls, as Jupyter clients show it. */
  getJupyterIdentity: ClientCall<GetJupyterIdentityRequestInput, JupyterIdentity, Options>;
  /** The kinds of kernels that can be started, and the usual one. */
  listKernelSpecs: ClientCall<ListKernelSpecsRequestInput, KernelSpecs, Options>;
  /** One kind of kernel. */
  getKernelSpec: ClientCall<GetKernelSpecRequestInput, JupyterKernelSpec, Options>;
  /** The picture of a kind of kernel, for the pages of clients, which show it without a credential. */
  getKernelLogo: ClientCall<GetKernelLogoRequestInput, KernelLogo, Options>;
  /** The kernels of the organisation that run. */
  listKernels: ClientCall<ListKernelsRequestInput, ListKernelsResponse, Options>;
  /** Starts a kernel, which costs credits by the minute until it is stopped. */
  startKernel: ClientCall<StartKernelRequestInput, JupyterKernel, Options>;
  /** One kernel. */
  getKernel: ClientCall<GetKernelRequestInput, JupyterKernel, Options>;
  /** The same kernel anew, without its memory; one that is dead is begun again. PAYMENT_REQUIRED, */
  restartKernel: ClientCall<RestartKernelRequestInput, JupyterKernel, Options>;
  /** Ends a kernel and its sessions, and asks for the credits of no further minute. */
  stopKernel: ClientCall<StopKernelRequestInput, StopKernelResponse, Options>;
  /** A WebSocket: frames of the subprotocol `v1.kernel.websocket.jupyter.org`, or the JSON of clients that name none. */
  openChannels: ClientStream<AsyncIterable<OpenChannelsRequestInput>, OpenChannelsAnswer, Options>;
  /** The sessions of the organisation: which notebook has which kernel. */
  listSessions: ClientCall<ListSessionsRequestInput, ListSessionsResponse, Options>;
  /**
   * With a kernel that runs (`kernel.id`) or a new one of a kind (`kernel.name`), as `StartKernel`. A path that has a
   * session is answered with it.
   */
  createSession: ClientCall<CreateSessionRequestInput, JupyterSession, Options>;
  /** One session with its kernel. */
  getSession: ClientCall<GetSessionRequestInput, JupyterSession, Options>;
  /**
   * Changes what is given: path, name, type, and the kernel, of which the former one is stopped. Credits are asked for
   * where another kernel starts.
   */
  updateSession: ClientCall<UpdateSessionRequestInput, JupyterSession, Options>;
  /** Its kernel stops, too. */
  deleteSession: ClientCall<DeleteSessionRequestInput, DeleteSessionResponse, Options>;
}

/**
 * JupyterContentsService shows notebooks and the files of their folders as those of a Jupyter Server. In the outermost folder are the
 * notebooks, `Sales.ipynb`, and beside each its folder, `Sales`, in which its kernels work: `Sales/results/2026.csv`. Nothing else lies
 * beside notebooks.
 */
export interface JupyterContentsServiceHandlers<Context> {
  /** The outermost folder, with at most a thousand notebooks, newest first, and the folder of each. */
  getContentsFolder: Handler<GetContentsFolderRequest, JupyterContentsInput, Context>;
  /**
   * A notebook, a file or a folder as Jupyter clients open it, however large it is: JSON as of the outermost folder. The content of a file
   * is a text, or base64 where it is no UTF-8; that of a folder is what lies in it.
   */
  getContents: StreamHandler<GetContentsRequest, ContentsModelInput, Context>;
  /** The bytes of a file, or of a notebook, to be kept by whoever asks for them. */
  downloadContents: StreamHandler<DownloadContentsRequest, NotebookFileInput, Context>;
  /** A new notebook without a title, or a copy of one. Files and folders come to be in the folder of a notebook. */
  createContents: Handler<CreateContentsRequest, JupyterContentsInput, Context>;
  /** A new file, folder or notebook without a title in the folder of a notebook, or a copy of a file or a notebook there. */
  createContentsInFolder: Handler<CreateContentsInFolderRequest, JupyterContentsInput, Context>;
  /**
   * Replaces a notebook or a file, or makes it, or a folder. The body is JSON of up to 16 MiB, handed on as it comes: an object with
   * `type` and `content`. Of a `notebook`, which it is unless given, the content is one in nbformat 4; without a content a notebook that
   * is there stays as it is, and a new one is empty. Of a `file` it is a text by its `format`, `text` or `base64`; a large one comes in
   * pieces with their number as `chunk`, from 1 on, the last one as -1. A `directory` has none.
   */
  saveContents: Handler<AsyncIterable<SaveContentsRequest>, JupyterContentsInput, Context>;
  /**
   * Gives a notebook another name, and its folder with it; or moves a file or a folder, within the folder of a notebook or into that of
   * another one.
   */
  renameContents: Handler<RenameContentsRequest, JupyterContentsInput, Context>;
  /** Deletes a notebook, whose kernels stop first, a file, or a folder with all that is in it. */
  deleteContents: Handler<DeleteContentsRequest, DeleteContentsResponseInput, Context>;
  /** The checkpoints of a notebook, newest first, or the one of a file. */
  listContentsCheckpoints: Handler<ListContentsCheckpointsRequest, ListContentsCheckpointsResponseInput, Context>;
  /** Keeps the content of a notebook or a file as it is now. A file has one checkpoint, the last one, which counts as a file of its size. */
  createContentsCheckpoint: Handler<CreateContentsCheckpointRequest, ContentsCheckpointInput, Context>;
  /** Gives a notebook or a file the content of a checkpoint back. */
  restoreContentsCheckpoint: Handler<RestoreContentsCheckpointRequest, RestoreContentsCheckpointResponseInput, Context>;
  /** Removes a checkpoint; the notebook or file stays as it is. */
  deleteContentsCheckpoint: Handler<DeleteContentsCheckpointRequest, DeleteContentsCheckpointResponseInput, Context>;
}

/**
 * JupyterContentsService shows notebooks and the files of their folders as those of a Jupyter Server. In the outermost folder are the
 * notebooks, `Sales.ipynb`, and beside each its folder, `Sales`, in which its kernels work: `Sales/results/2026.csv`. Nothing else lies
 * beside notebooks.
 */
export interface JupyterContentsServiceClient<Options = unknown> {
  /** The outermost folder, with at most a thousand notebooks, newest first, and the folder of each. */
  getContentsFolder: ClientCall<GetContentsFolderRequestInput, JupyterContents, Options>;
  /**
   * A notebook, a file or a folder as Jupyter clients open it, however large it is: JSON as of the outermost folder. The content of a file
   * is a text, or base64 where it is no UTF-8; that of a folder is what lies in it.
   */
  getContents: ClientStream<GetContentsRequestInput, ContentsModel, Options>;
  /** The bytes of a file, or of a notebook, to be kept by whoever asks for them. */
  downloadContents: ClientStream<DownloadContentsRequestInput, NotebookFile, Options>;
  /** A new notebook without a title, or a copy of one. Files and folders come to be in the folder of a notebook. */
  createContents: ClientCall<CreateContentsRequestInput, JupyterContents, Options>;
  /** A new file, folder or notebook without a title in the folder of a notebook, or a copy of a file or a notebook there. */
  createContentsInFolder: ClientCall<CreateContentsInFolderRequestInput, JupyterContents, Options>;
  /**
   * Replaces a notebook or a file, or makes it, or a folder. The body is JSON of up to 16 MiB, handed on as it comes: an object with
   * `type` and `content`. Of a `notebook`, which it is unless given, the content is one in nbformat 4; without a content a notebook that
   * is there stays as it is, and a new one is empty. Of a `file` it is a text by its `format`, `text` or `base64`; a large one comes in
   * pieces with their number as `chunk`, from 1 on, the last one as -1. A `directory` has none.
   */
  saveContents: ClientCall<AsyncIterable<SaveContentsRequestInput>, JupyterContents, Options>;
  /**
   * Gives a notebook another name, and its folder with it; or moves a file or a folder, within the folder of a notebook or into that of
   * another one.
   */
  renameContents: ClientCall<RenameContentsRequestInput, JupyterContents, Options>;
  /** Deletes a notebook, whose kernels stop first, a file, or a folder with all that is in it. */
  deleteContents: ClientCall<DeleteContentsRequestInput, DeleteContentsResponse, Options>;
  /** The checkpoints of a notebook, newest first, or the one of a file. */
  listContentsCheckpoints: ClientCall<ListContentsCheckpointsRequestInput, ListContentsCheckpointsResponse, Options>;
  /** Keeps the content of a notebook or a file as it is now. A file has one checkpoint, the last one, which counts as a file of its size. */
  createContentsCheckpoint: ClientCall<CreateContentsCheckpointRequestInput, ContentsCheckpoint, Options>;
  /** Gives a notebook or a file the content of a checkpoint back. */
  restoreContentsCheckpoint: ClientCall<RestoreContentsCheckpointRequestInput, RestoreContentsCheckpointResponse, Options>;
  /** Removes a checkpoint; the notebook or file stays as it is. */
  deleteContentsCheckpoint: ClientCall<DeleteContentsCheckpointRequestInput, DeleteContentsCheckpointResponse, Options>;
}

/** NotebookService owns notebooks: JSON of the format nbformat 4, kept as it came. */
export interface NotebookServiceHandlers<Context> {
  /** Empty unless a content is given. */
  createNotebook: Handler<CreateNotebookRequest, NotebookInput, Context>;
  /** Newest first unless asked otherwise, without their contents. */
  listNotebooks: Handler<ListNotebooksRequest, ListNotebooksResponseInput, Context>;
  /** One notebook with its content. */
  getNotebook: Handler<GetNotebookRequest, NotebookInput, Context>;
  /** Gives a notebook another name; its content stays. */
  renameNotebook: Handler<RenameNotebookRequest, NotebookInput, Context>;
  /** Replaces the content; the content that it has already makes no version. */
  saveNotebook: Handler<SaveNotebookRequest, NotebookInput, Context>;
  /** Stops the notebook's kernels first; its checkpoints go with it. */
  deleteNotebook: Handler<DeleteNotebookRequest, DeletedInput, Context>;
  /** Makes a notebook of the bytes of an `.ipynb` file. */
  importNotebook: Handler<AsyncIterable<ImportNotebookRequest>, NotebookInput, Context>;
  /**
   * Replaces the content by the bytes of an `.ipynb` file, which may be larger than a JSON body; otherwise as
   * SaveNotebook.
   */
  saveNotebookFile: Handler<AsyncIterable<SaveNotebookFileRequest>, NotebookInput, Context>;
  /** The notebook as an `.ipynb` file. */
  exportNotebook: StreamHandler<ExportNotebookRequest, NotebookFileInput, Context>;
  /** The notebook as one page of HTML that needs nothing else and runs nothing. */
  exportNotebookPage: StreamHandler<ExportNotebookPageRequest, NotebookFileInput, Context>;
  /** Keeps the content as it is now. Of more than 20 the oldest goes. */
  createCheckpoint: Handler<CreateCheckpointRequest, CheckpointInput, Context>;
  /** Newest first. */
  listCheckpoints: Handler<ListCheckpointsRequest, ListCheckpointsResponseInput, Context>;
  /** Makes the content what it was then, as a new version. */
  restoreCheckpoint: Handler<RestoreCheckpointRequest, NotebookInput, Context>;
  /** Removes a checkpoint; the notebook stays as it is. */
  deleteCheckpoint: Handler<DeleteCheckpointRequest, DeletedInput, Context>;
}

/** NotebookService owns notebooks: JSON of the format nbformat 4, kept as it came. */
export interface NotebookServiceClient<Options = unknown> {
  /** Empty unless a content is given. */
  createNotebook: ClientCall<CreateNotebookRequestInput, Notebook, Options>;
  /** Newest first unless asked otherwise, without their contents. */
  listNotebooks: ClientCall<ListNotebooksRequestInput, ListNotebooksResponse, Options>;
  /** One notebook with its content. */
  getNotebook: ClientCall<GetNotebookRequestInput, Notebook, Options>;
  /** Gives a notebook another name; its content stays. */
  renameNotebook: ClientCall<RenameNotebookRequestInput, Notebook, Options>;
  /** Replaces the content; the content that it has already makes no version. */
  saveNotebook: ClientCall<SaveNotebookRequestInput, Notebook, Options>;
  /** Stops the notebook's kernels first; its checkpoints go with it. */
  deleteNotebook: ClientCall<DeleteNotebookRequestInput, Deleted, Options>;
  /** Makes a notebook of the bytes of an `.ipynb` file. */
  importNotebook: ClientCall<AsyncIterable<ImportNotebookRequestInput>, Notebook, Options>;
  /**
   * Replaces the content by the bytes of an `.ipynb` file, which may be larger than a JSON body; otherwise as
   * SaveNotebook.
   */
  saveNotebookFile: ClientCall<AsyncIterable<SaveNotebookFileRequestInput>, Notebook, Options>;
  /** The notebook as an `.ipynb` file. */
  exportNotebook: ClientStream<ExportNotebookRequestInput, NotebookFile, Options>;
  /** The notebook as one page of HTML that needs nothing else and runs nothing. */
  exportNotebookPage: ClientStream<ExportNotebookPageRequestInput, NotebookFile, Options>;
  /** Keeps the content as it is now. Of more than 20 the oldest goes. */
  createCheckpoint: ClientCall<CreateCheckpointRequestInput, Checkpoint, Options>;
  /** Newest first. */
  listCheckpoints: ClientCall<ListCheckpointsRequestInput, ListCheckpointsResponse, Options>;
  /** Makes the content what it was then, as a new version. */
  restoreCheckpoint: ClientCall<RestoreCheckpointRequestInput, Notebook, Options>;
  /** Removes a checkpoint; the notebook stays as it is. */
  deleteCheckpoint: ClientCall<DeleteCheckpointRequestInput, Deleted, Options>;
}

/**
 * KernelHostService is for the replicas of notebooks among themselves: a call that reaches another replica than the
 * kernel's is carried there. The organisation is the caller's.
 */
export interface KernelHostServiceHandlers<Context> {
  /** NOT_FOUND: the kernel does not live in this replica. Doing it twice is like doing it once, but for a restart. */
  controlKernel: Handler<ControlKernelRequest, ControlKernelResponseInput, Context>;
  /**
   * Messages of one client both ways; the first request names the kernel and has no message, and the first answer has
   * none either. Whoever reads slowly holds the other side back.
   */
  connectKernel: StreamHandler<AsyncIterable<ConnectKernelRequest>, ConnectKernelAnswerInput, Context>;
}

/**
 * KernelHostService is for the replicas of notebooks among themselves: a call that reaches another replica than the
 * kernel's is carried there. The organisation is the caller's.
 */
export interface KernelHostServiceClient<Options = unknown> {
  /** NOT_FOUND: the kernel does not live in this replica. Doing it twice is like doing it once, but for a restart. */
  controlKernel: ClientCall<ControlKernelRequestInput, ControlKernelResponse, Options>;
  /**
   * Messages of one client both ways; the first request names the kernel and has no message, and the first answer has
   * none either. Whoever reads slowly holds the other side back.
   */
  connectKernel: ClientStream<AsyncIterable<ConnectKernelRequestInput>, ConnectKernelAnswer, Options>;
}

/**
 * KernelJobService runs code or a notebook to its end, each in a kernel of its own, for other services. The organisation is
 * the caller's.
 */
export interface KernelJobServiceHandlers<Context> {
  /**
   * One job. The first request has `start`, then come the rows of its inputs, one dataset after the other; the last answer
   * has `finished`. Whoever ends the call ends the kernel.
   * CONFLICT: the organisation has as many kernels as it may have. RATE_LIMITED: too many starts within a minute.
   * UNAVAILABLE: no kernel can be started now.
   */
  runKernelJob: StreamHandler<AsyncIterable<RunKernelJobRequest>, RunKernelJobAnswerInput, Context>;
  /**
   * Where programs are no Python that a kernel takes: the first such place of each, and nothing of those that could be run. They
   * are compiled as a kernel compiles them, and nothing of them is run. One on which the compiler is lost, or that takes it too
   * long, is not judged.
   * NOT_FOUND: no such notebook. UNAVAILABLE: nothing can compile them now.
   */
  checkPrograms: Handler<CheckProgramsRequest, CheckProgramsResponseInput, Context>;
  /**
   * Whether kernels are for the organisation here at all, asked before anybody pays for what needs one.
   * NOT_PROVIDED: none is.
   */
  checkKernelAccess: Handler<CheckKernelAccessRequest, CheckKernelAccessResponseInput, Context>;
  /** What the notebook is that somebody names. NOT_FOUND: the organisation has none of this name or id. */
  findNotebook: Handler<FindNotebookRequest, FoundNotebookInput, Context>;
}

/**
 * KernelJobService runs code or a notebook to its end, each in a kernel of its own, for other services. The organisation is
 * the caller's.
 */
export interface KernelJobServiceClient<Options = unknown> {
  /**
   * One job. The first request has `start`, then come the rows of its inputs, one dataset after the other; the last answer
   * has `finished`. Whoever ends the call ends the kernel.
   * CONFLICT: the organisation has as many kernels as it may have. RATE_LIMITED: too many starts within a minute.
   * UNAVAILABLE: no kernel can be started now.
   */
  runKernelJob: ClientStream<AsyncIterable<RunKernelJobRequestInput>, RunKernelJobAnswer, Options>;
  /**
   * Where programs are no Python that a kernel takes: the first such place of each, and nothing of those that could be run. They
   * are compiled as a kernel compiles them, and nothing of them is run. One on which the compiler is lost, or that takes it too
   * long, is not judged.
   * NOT_FOUND: no such notebook. UNAVAILABLE: nothing can compile them now.
   */
  checkPrograms: ClientCall<CheckProgramsRequestInput, CheckProgramsResponse, Options>;
  /**
   * Whether kernels are for the organisation here at all, asked before anybody pays for what needs one.
   * NOT_PROVIDED: none is.
   */
  checkKernelAccess: ClientCall<CheckKernelAccessRequestInput, CheckKernelAccessResponse, Options>;
  /** What the notebook is that somebody names. NOT_FOUND: the organisation has none of this name or id. */
  findNotebook: ClientCall<FindNotebookRequestInput, FoundNotebook, Options>;
}

/** KernelService owns running kernels. */
export interface KernelServiceHandlers<Context> {
  /** Stops what the kernel is computing and keeps its memory. */
  interruptKernel: Handler<InterruptKernelRequest, InterruptKernelResponseInput, Context>;
  /** The kernels of the organisation that are alive. */
  listRunningServices: Handler<ListRunningServicesRequest, RunningServicesInput, Context>;
}

/** KernelService owns running kernels. */
export interface KernelServiceClient<Options = unknown> {
  /** Stops what the kernel is computing and keeps its memory. */
  interruptKernel: ClientCall<InterruptKernelRequestInput, InterruptKernelResponse, Options>;
  /** The kernels of the organisation that are alive. */
  listRunningServices: ClientCall<ListRunningServicesRequestInput, RunningServices, Options>;
}

/**
 * NotebookEnvironmentService has the environment variables of an organisation's kernels, such as passwords and tokens. Their values are kept
 * encrypted and never told again; kernels have them from when they begin, and so has whoever may run code in them.
 */
export interface NotebookEnvironmentServiceHandlers<Context> {
  /** Their names, in alphabetical order; an organisation has up to a hundred. */
  listEnvironmentVariables: Handler<ListEnvironmentVariablesRequest, ListEnvironmentVariablesResponseInput, Context>;
  /** Makes a variable, or gives it another value. Kernels that run keep the one that they have begun with. */
  setEnvironmentVariable: Handler<SetEnvironmentVariableRequest, EnvironmentVariableInput, Context>;
  /** Removes a variable. Kernels that run keep it until they end. */
  deleteEnvironmentVariable: Handler<DeleteEnvironmentVariableRequest, EnvironmentVariableDeletedInput, Context>;
}

/**
 * NotebookEnvironmentService has the environment variables of an organisation's kernels, such as passwords and tokens. Their values are kept
 * encrypted and never told again; kernels have them from when they begin, and so has whoever may run code in them.
 */
export interface NotebookEnvironmentServiceClient<Options = unknown> {
  /** Their names, in alphabetical order; an organisation has up to a hundred. */
  listEnvironmentVariables: ClientCall<ListEnvironmentVariablesRequestInput, ListEnvironmentVariablesResponse, Options>;
  /** Makes a variable, or gives it another value. Kernels that run keep the one that they have begun with. */
  setEnvironmentVariable: ClientCall<SetEnvironmentVariableRequestInput, EnvironmentVariable, Options>;
  /** Removes a variable. Kernels that run keep it until they end. */
  deleteEnvironmentVariable: ClientCall<DeleteEnvironmentVariableRequestInput, EnvironmentVariableDeleted, Options>;
}

/**
 * NotebookFolderService has the folder of each notebook: the working directory of its kernels, which stays when they end. What a cell
 * writes is there when the cell is answered, and what is written here is seen by the next cell.
 */
export interface NotebookFolderServiceHandlers<Context> {
  /** Files and folders, by their paths. */
  listFolderFiles: Handler<ListFolderFilesRequest, ListFolderFilesResponseInput, Context>;
  /** The bytes of a file. */
  getFolderFile: StreamHandler<GetFolderFileRequest, NotebookFileInput, Context>;
  /** Keeps the bytes of the body as a file, in place of one that is there. Folders on its path come to be. */
  saveFolderFile: Handler<AsyncIterable<SaveFolderFileRequest>, FolderFileInput, Context>;
  /**
   * Copies a dataset as a file, in place of one that is there: cells read it as they read any other. It stays as it is when the dataset
   * gets another version, until this is repeated, which is safe. Whoever asks may read the dataset themselves: a key needs
   * `datasets:read` besides.
   */
  copyDataset: Handler<CopyDatasetRequest, CopiedDatasetInput, Context>;
  /** Removes a file, or a folder with all that is in it. */
  deleteFolderFile: Handler<DeleteFolderFileRequest, FolderFileDeletedInput, Context>;
}

/**
 * NotebookFolderService has the folder of each notebook: the working directory of its kernels, which stays when they end. What a cell
 * writes is there when the cell is answered, and what is written here is seen by the next cell.
 */
export interface NotebookFolderServiceClient<Options = unknown> {
  /** Files and folders, by their paths. */
  listFolderFiles: ClientCall<ListFolderFilesRequestInput, ListFolderFilesResponse, Options>;
  /** The bytes of a file. */
  getFolderFile: ClientStream<GetFolderFileRequestInput, NotebookFile, Options>;
  /** Keeps the bytes of the body as a file, in place of one that is there. Folders on its path come to be. */
  saveFolderFile: ClientCall<AsyncIterable<SaveFolderFileRequestInput>, FolderFile, Options>;
  /**
   * Copies a dataset as a file, in place of one that is there: cells read it as they read any other. It stays as it is when the dataset
   * gets another version, until this is repeated, which is safe. Whoever asks may read the dataset themselves: a key needs
   * `datasets:read` besides.
   */
  copyDataset: ClientCall<CopyDatasetRequestInput, CopiedDataset, Options>;
  /** Removes a file, or a folder with all that is in it. */
  deleteFolderFile: ClientCall<DeleteFolderFileRequestInput, FolderFileDeleted, Options>;
}

/** NotebookRunService runs all cells of notebooks with parameters. What comes of it is a notebook. */
export interface NotebookRunServiceHandlers<Context> {
  /**
   * Runs the notebook as it is now, in a kernel of its own, as soon as the organisation may have another one. A
   * repetition with the same `Idempotency-Key` is answered with the same run.
   */
  startNotebookRun: Handler<StartNotebookRunRequest, NotebookRunInput, Context>;
  /** Newest first. */
  listNotebookRuns: Handler<ListNotebookRunsRequest, ListNotebookRunsResponseInput, Context>;
  /** How far a run is, and how it has ended. */
  getNotebookRun: Handler<GetNotebookRunRequest, NotebookRunInput, Context>;
  /** Ends it within some seconds. Repeating it is safe, also when the run is over. */
  cancelNotebookRun: Handler<CancelNotebookRunRequest, NotebookRunInput, Context>;
  /**
   * An event `run` with the run as it is now, and again whenever it has come further, until `finished`. With the
   * header `Last-Event-ID` what that event said is not told again.
   */
  watchNotebookRun: StreamHandler<WatchNotebookRunRequest, NotebookRunEventInput, Context>;
  /** The notebook with what its cells have shown, as an `.ipynb` file; of a run that failed, as far as it came. */
  exportNotebookRun: StreamHandler<ExportNotebookRunRequest, NotebookFileInput, Context>;
  /** The same as one page of HTML that needs nothing else and runs nothing. */
  exportNotebookRunPage: StreamHandler<ExportNotebookRunPageRequest, NotebookFileInput, Context>;
}

/** NotebookRunService runs all cells of notebooks with parameters. What comes of it is a notebook. */
export interface NotebookRunServiceClient<Options = unknown> {
  /**
   * Runs the notebook as it is now, in a kernel of its own, as soon as the organisation may have another one. A
   * repetition with the same `Idempotency-Key` is answered with the same run.
   */
  startNotebookRun: ClientCall<StartNotebookRunRequestInput, NotebookRun, Options>;
  /** Newest first. */
  listNotebookRuns: ClientCall<ListNotebookRunsRequestInput, ListNotebookRunsResponse, Options>;
  /** How far a run is, and how it has ended. */
  getNotebookRun: ClientCall<GetNotebookRunRequestInput, NotebookRun, Options>;
  /** Ends it within some seconds. Repeating it is safe, also when the run is over. */
  cancelNotebookRun: ClientCall<CancelNotebookRunRequestInput, NotebookRun, Options>;
  /**
   * An event `run` with the run as it is now, and again whenever it has come further, until `finished`. With the
   * header `Last-Event-ID` what that event said is not told again.
   */
  watchNotebookRun: ClientStream<WatchNotebookRunRequestInput, NotebookRunEvent, Options>;
  /** The notebook with what its cells have shown, as an `.ipynb` file; of a run that failed, as far as it came. */
  exportNotebookRun: ClientStream<ExportNotebookRunRequestInput, NotebookFile, Options>;
  /** The same as one page of HTML that needs nothing else and runs nothing. */
  exportNotebookRunPage: ClientStream<ExportNotebookRunPageRequestInput, NotebookFile, Options>;
}

export type GetJupyterVersionRequest = Record<string, never>;

/** `GetJupyterVersionRequest`, to be written. */
export type GetJupyterVersionRequestInput = Record<string, never>;

export interface JupyterVersion {
  /** Of the Jupyter server whose interface this is. */
  version: string;
}

/** `JupyterVersion`, to be written. */
export interface JupyterVersionInput {
  version: string;
}

export type GetJupyterStatusRequest = Record<string, never>;

/** `GetJupyterStatusRequest`, to be written. */
export type GetJupyterStatusRequestInput = Record<string, never>;

export interface JupyterStatus {
  /** Clients that are connected to kernels of the caller's organisation now. */
  connections: number;
  /** How many kernels the organisation has. */
  kernels: number;
  /** Of any of these kernels; null: there is none. */
  lastActivity: Date | null;
  /** Of the replica that answers. */
  started: Date | null;
}

/** `JupyterStatus`, to be written. */
export interface JupyterStatusInput {
  connections: number;
  kernels: number;
  lastActivity?: Date | null | undefined;
  started?: Date | null | undefined;
}

export type GetJupyterIdentityRequest = Record<string, never>;

/** `GetJupyterIdentityRequest`, to be written. */
export type GetJupyterIdentityRequestInput = Record<string, never>;

export interface JupyterIdentity {
  /** Who calls. */
  identity: JupyterUser | null;
  /** Empty: what one may do the operations say themselves. */
  permissions: Record<string, JsonValue>;
}

/** `JupyterIdentity`, to be written. */
export interface JupyterIdentityInput {
  identity?: JupyterUserInput | null | undefined;
  permissions: Readonly<Record<string, JsonValueInput | undefined>>;
}

export interface JupyterUser {
  /** The id of the user. */
  username: string;
  /** As the identity provider said last. */
  name: string;
  displayName: string;
  /** Of the name. */
  initials: string;
  /** Null: there is no picture. */
  avatarUrl: string | null;
  /** Null: the client chooses one. */
  color: string | null;
}

/** `JupyterUser`, to be written. */
export interface JupyterUserInput {
  username: string;
  name: string;
  displayName: string;
  initials: string;
  avatarUrl?: string | null | undefined;
  color?: string | null | undefined;
}

export type ListKernelSpecsRequest = Record<string, never>;

/** `ListKernelSpecsRequest`, to be written. */
export type ListKernelSpecsRequestInput = Record<string, never>;

export interface KernelSpecs {
  /** The kind that runs where none is named. */
  default: string;
  /** By their names. */
  kernelspecs: Record<string, JupyterKernelSpec>;
}

/** `KernelSpecs`, to be written. */
export interface KernelSpecsInput {
  default: string;
  kernelspecs: Readonly<Record<string, JupyterKernelSpecInput | undefined>>;
}

export interface GetKernelSpecRequest {
  /** The kind: `python3`. */
  name: string;
}

/** `GetKernelSpecRequest`, to be written. */
export interface GetKernelSpecRequestInput {
  name: string;
}

export interface GetKernelLogoRequest {
  /** The kind: `python3`. */
  name: string;
}

/** `GetKernelLogoRequest`, to be written. */
export interface GetKernelLogoRequestInput {
  name: string;
}

export interface KernelLogo {
  /** SVG. */
  picture: Buffer;
}

/** `KernelLogo`, to be written. */
export interface KernelLogoInput {
  picture: Uint8Array;
}

export interface JupyterKernelSpec {
  /** The kind: `python3`. */
  name: string;
  /** As in Jupyter's `kernel.json`. */
  spec: KernelSpecDetails | null;
  /** Of its picture: `{"logo-svg": "/kernelspecs/python3/logo-svg.svg"}`, from the base URL on. */
  resources: Record<string, string>;
}

/** `JupyterKernelSpec`, to be written. */
export interface JupyterKernelSpecInput {
  name: string;
  spec?: KernelSpecDetailsInput | null | undefined;
  resources: Readonly<Record<string, string | undefined>>;
}

export interface KernelSpecDetails {
  /** Empty: where a kernel runs and how is the platform's own. */
  argv: string[];
  displayName: string;
  /** In which its cells are written. */
  language: string;
  /** `signal` or `message`. */
  interruptMode: string;
  /** Empty: the environment is the platform's own. */
  env: Record<string, string>;
  /** What the kind says of itself. */
  metadata: Record<string, JsonValue>;
}

/** `KernelSpecDetails`, to be written. */
export interface KernelSpecDetailsInput {
  argv: readonly string[];
  displayName: string;
  language: string;
  interruptMode: string;
  env: Readonly<Record<string, string | undefined>>;
  metadata: Readonly<Record<string, JsonValueInput | undefined>>;
}

export type ListKernelsRequest = Record<string, never>;

/** `ListKernelsRequest`, to be written. */
export type ListKernelsRequestInput = Record<string, never>;

export interface ListKernelsResponse {
  /** Those of the organisation that run. */
  kernels: JupyterKernel[];
}

/** `ListKernelsResponse`, to be written. */
export interface ListKernelsResponseInput {
  kernels: readonly JupyterKernelInput[];
}

export interface JupyterKernel {
  id: string;
  /** Its kind: `python3`. */
  name: string;
  lastActivity: Date | null;
  /** `starting`, `idle`, `busy`, `restarting` or `dead`. */
  executionState: string;
  connections: number;
}

/** `JupyterKernel`, to be written. */
export interface JupyterKernelInput {
  id: string;
  name: string;
  lastActivity?: Date | null | undefined;
  executionState: string;
  connections: number;
}

export interface StartKernelRequest {
  /** The usual one unless given. */
  name: string | null;
  /** Of a notebook, or any other. */
  path: string | null;
}

/** `StartKernelRequest`, to be written. */
export interface StartKernelRequestInput {
  name?: string | null | undefined;
  path?: string | null | undefined;
}

export interface GetKernelRequest {
  kernelId: string;
}

/** `GetKernelRequest`, to be written. */
export interface GetKernelRequestInput {
  kernelId: string;
}

export interface RestartKernelRequest {
  kernelId: string;
}

/** `RestartKernelRequest`, to be written. */
export interface RestartKernelRequestInput {
  kernelId: string;
}

export interface StopKernelRequest {
  kernelId: string;
}

/** `StopKernelRequest`, to be written. */
export interface StopKernelRequestInput {
  kernelId: string;
}

export type StopKernelResponse = Record<string, never>;

/** `StopKernelResponse`, to be written. */
export type StopKernelResponseInput = Record<string, never>;

export interface OpenChannelsRequest {
  kernelId: string;
  /** The client's own, which it keeps when it connects again. */
  sessionId: string;
  protocol: string;
  /** A message for the kernel. */
  frame: ChannelsFrame | null;
}

/** `OpenChannelsRequest`, to be written. */
export interface OpenChannelsRequestInput {
  kernelId?: string | null | undefined;
  sessionId?: string | null | undefined;
  protocol?: string | null | undefined;
  frame?: ChannelsFrameInput | null | undefined;
}

export interface OpenChannelsAnswer {
  protocol: string;
  /** A message from the kernel. */
  frame: ChannelsFrame | null;
}

/** `OpenChannelsAnswer`, to be written. */
export interface OpenChannelsAnswerInput {
  protocol?: string | null | undefined;
  frame?: ChannelsFrameInput | null | undefined;
}

export interface ChannelsFrame {
  /** A message as JSON. */
  text: string | null;
  /** A message with buffers, as the subprotocol says. */
  binary: Buffer | null;
}

/** `ChannelsFrame`, to be written. */
export interface ChannelsFrameInput {
  text?: string | null | undefined;
  binary?: Uint8Array | null | undefined;
}

export type ListSessionsRequest = Record<string, never>;

/** `ListSessionsRequest`, to be written. */
export type ListSessionsRequestInput = Record<string, never>;

export interface ListSessionsResponse {
  /** Those of the organisation. */
  sessions: JupyterSession[];
}

/** `ListSessionsResponse`, to be written. */
export interface ListSessionsResponseInput {
  sessions: readonly JupyterSessionInput[];
}

export interface JupyterSession {
  id: string;
  /** Of the notebook, or whatever the client has called it. */
  path: string;
  /** As the client has called it. */
  name: string;
  /** `notebook`, `console` or `file`. */
  type: string;
  /** What it runs on. */
  kernel: JupyterKernel | null;
  /** The same path and name once more, for older clients. */
  notebook: SessionNotebook | null;
}

/** `JupyterSession`, to be written. */
export interface JupyterSessionInput {
  id: string;
  path: string;
  name: string;
  type: string;
  kernel?: JupyterKernelInput | null | undefined;
  notebook?: SessionNotebookInput | null | undefined;
}

export interface SessionNotebook {
  /** As in the session. */
  path: string;
  /** As in the session. */
  name: string;
}

/** `SessionNotebook`, to be written. */
export interface SessionNotebookInput {
  path: string;
  name: string;
}

/** A kernel that runs, by its id, or a new one of a kind. */
export interface SessionKernel {
  /** Of a kernel that runs. */
  id: string | null;
  /** The kind of a new one: `python3`. */
  name: string | null;
}

/** `SessionKernel`, to be written. */
export interface SessionKernelInput {
  id?: string | null | undefined;
  name?: string | null | undefined;
}

export interface CreateSessionRequest {
  /** Of the notebook; a session that has the path already is answered. */
  path: string;
  /** As the client calls it. */
  name: string;
  /** `notebook`, `console` or `file`. */
  type: string;
  /** Null or absent: a new one of the usual kind. */
  kernel: SessionKernel | null;
}

/** `CreateSessionRequest`, to be written. */
export interface CreateSessionRequestInput {
  path: string;
  name?: string | null | undefined;
  type?: string | null | undefined;
  kernel?: SessionKernelInput | null | undefined;
}

export interface GetSessionRequest {
  sessionId: string;
}

/** `GetSessionRequest`, to be written. */
export interface GetSessionRequestInput {
  sessionId: string;
}

export interface UpdateSessionRequest {
  sessionId: string;
  /** Null or absent: stays as it is, like the others. */
  path: string | null;
  /** As the client calls it. */
  name: string | null;
  /** `notebook`, `console` or `file`. */
  type: string | null;
  /** What the session runs on from now on; the kernel before it ends. */
  kernel: SessionKernel | null;
}

/** `UpdateSessionRequest`, to be written. */
export interface UpdateSessionRequestInput {
  sessionId: string;
  path?: string | null | undefined;
  name?: string | null | undefined;
  type?: string | null | undefined;
  kernel?: SessionKernelInput | null | undefined;
}

export interface DeleteSessionRequest {
  sessionId: string;
}

/** `DeleteSessionRequest`, to be written. */
export interface DeleteSessionRequestInput {
  sessionId: string;
}

export type DeleteSessionResponse = Record<string, never>;

/** `DeleteSessionResponse`, to be written. */
export type DeleteSessionResponseInput = Record<string, never>;

export interface JupyterContents {
  /** The last part of the path. */
  name: string;
  path: string;
  /** `notebook`, `file` or `directory`. */
  type: string;
  /** Always true: whether the caller may change it, the operations say themselves. */
  writable: boolean;
  /** When it came to be. */
  created: Date | null;
  lastModified: Date | null;
  /** Of a file with its content; null of a notebook and a folder, whose type says it. */
  mimetype: string | null;
  /** Where there is a content: `json`, of a file `text` or `base64`. */
  format: string | null;
  /** Of a notebook or a file, or of a folder what is in it without theirs. Null unless asked for. */
  content: JsonValue | null;
  /** Bytes of a file, or of a notebook as JSON; null for a folder. */
  size: number | null;
}

/** `JupyterContents`, to be written. */
export interface JupyterContentsInput {
  name: string;
  path: string;
  type: string;
  writable: boolean;
  created?: Date | null | undefined;
  lastModified?: Date | null | undefined;
  mimetype?: string | null | undefined;
  format?: string | null | undefined;
  content?: JsonValueInput | null | undefined;
  size?: number | null | undefined;
}

/** A notebook, a file or a folder with its content, as JSON. */
export interface ContentsModel {
  contentType: string;
  contentLength: string;
  cacheControl: string;
  chunk: Buffer;
}

/** `ContentsModel`, to be written. */
export interface ContentsModelInput {
  contentType?: string | null | undefined;
  contentLength?: Int64Input | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
}

export interface GetContentsFolderRequest {
  /** 0: without a content. */
  content: number;
}

/** `GetContentsFolderRequest`, to be written. */
export interface GetContentsFolderRequestInput {
  content?: number | null | undefined;
}

export interface GetContentsRequest {
  path: string;
  /** 0: without its content. */
  content: number;
  /** Nothing else than this: `notebook`, `file` or `directory`. A notebook as a `file` is its JSON text. */
  type: string;
  /** The content of a file as `text`, which it has to be then, or as `base64`. */
  format: string;
}

/** `GetContentsRequest`, to be written. */
export interface GetContentsRequestInput {
  path: string;
  content?: number | null | undefined;
  type?: string | null | undefined;
  format?: string | null | undefined;
}

export interface DownloadContentsRequest {
  path: string;
}

/** `DownloadContentsRequest`, to be written. */
export interface DownloadContentsRequestInput {
  path: string;
}

export interface CreateContentsRequest {
  /** `notebook`: nothing else lies beside notebooks. */
  type: string;
  /** The path of the notebook that is copied, which may be a file of a folder. */
  copyFrom: string | null;
}

/** `CreateContentsRequest`, to be written. */
export interface CreateContentsRequestInput {
  type?: string | null | undefined;
  copyFrom?: string | null | undefined;
}

export interface CreateContentsInFolderRequest {
  /** The folder of a notebook, or one in it. */
  folder: string;
  /** What comes to be, unless something is copied: `notebook`, `file` or `directory`. */
  type: string;
  /** The ending of a file's name. */
  ext: string;
  /** The path of the file or notebook that is copied. */
  copyFrom: string | null;
}

/** `CreateContentsInFolderRequest`, to be written. */
export interface CreateContentsInFolderRequestInput {
  folder: string;
  type?: string | null | undefined;
  ext?: string | null | undefined;
  copyFrom?: string | null | undefined;
}

export interface SaveContentsRequest {
  path: string;
  /** JSON, as Jupyter clients save. */
  chunk: Buffer;
}

/** `SaveContentsRequest`, to be written. */
export interface SaveContentsRequestInput {
  path?: string | null | undefined;
  chunk?: Uint8Array | null | undefined;
}

export interface RenameContentsRequest {
  /** Where it is now. */
  fromPath: string;
  /** Where it will be. */
  path: string;
}

/** `RenameContentsRequest`, to be written. */
export interface RenameContentsRequestInput {
  fromPath: string;
  path: string;
}

export interface DeleteContentsRequest {
  path: string;
}

/** `DeleteContentsRequest`, to be written. */
export interface DeleteContentsRequestInput {
  path: string;
}

export type DeleteContentsResponse = Record<string, never>;

/** `DeleteContentsResponse`, to be written. */
export type DeleteContentsResponseInput = Record<string, never>;

export interface ContentsCheckpoint {
  id: string;
  lastModified: Date | null;
}

/** `ContentsCheckpoint`, to be written. */
export interface ContentsCheckpointInput {
  id: string;
  lastModified?: Date | null | undefined;
}

export interface ListContentsCheckpointsRequest {
  path: string;
}

/** `ListContentsCheckpointsRequest`, to be written. */
export interface ListContentsCheckpointsRequestInput {
  path: string;
}

export interface ListContentsCheckpointsResponse {
  /** Newest first. */
  checkpoints: ContentsCheckpoint[];
}

/** `ListContentsCheckpointsResponse`, to be written. */
export interface ListContentsCheckpointsResponseInput {
  checkpoints: readonly ContentsCheckpointInput[];
}

export interface CreateContentsCheckpointRequest {
  path: string;
}

/** `CreateContentsCheckpointRequest`, to be written. */
export interface CreateContentsCheckpointRequestInput {
  path: string;
}

export interface RestoreContentsCheckpointRequest {
  path: string;
  checkpointId: string;
}

/** `RestoreContentsCheckpointRequest`, to be written. */
export interface RestoreContentsCheckpointRequestInput {
  path: string;
  checkpointId: string;
}

export type RestoreContentsCheckpointResponse = Record<string, never>;

/** `RestoreContentsCheckpointResponse`, to be written. */
export type RestoreContentsCheckpointResponseInput = Record<string, never>;

export interface DeleteContentsCheckpointRequest {
  path: string;
  checkpointId: string;
}

/** `DeleteContentsCheckpointRequest`, to be written. */
export interface DeleteContentsCheckpointRequestInput {
  path: string;
  checkpointId: string;
}

export type DeleteContentsCheckpointResponse = Record<string, never>;

/** `DeleteContentsCheckpointResponse`, to be written. */
export type DeleteContentsCheckpointResponseInput = Record<string, never>;

export interface Notebook {
  id: string;
  organisationId: string;
  /** What it is called; unique in the organisation. */
  name: string;
  /** Grows with each change of the content. */
  version: number;
  sizeBytes: number;
  /** The minor number of the format nbformat 4. */
  formatMinor: number;
  /** As the notebook's metadata say it; empty where they do not. */
  language: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Null in lists, and when it has more than a mebibyte (`size_bytes`): it is exported then. */
  content: JsonValue | null;
}

/** `Notebook`, to be written. */
export interface NotebookInput {
  id: string;
  organisationId: string;
  name: string;
  version: number;
  sizeBytes: number;
  formatMinor: number;
  language: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  content?: JsonValueInput | null | undefined;
}

export interface Checkpoint {
  id: string;
  notebookId: string;
  /** Of the content that it keeps. */
  version: number;
  sizeBytes: number;
  createdAt: Date | null;
}

/** `Checkpoint`, to be written. */
export interface CheckpointInput {
  id: string;
  notebookId: string;
  version: number;
  sizeBytes: number;
  createdAt?: Date | null | undefined;
}

/** The answer to a delete. */
export interface Deleted {
  /** Of what is gone. */
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export interface CreateNotebookRequest {
  /** What it is called; unique in the organisation. */
  name: string;
  /** The notebook, in nbformat 4. Null or absent: an empty one. */
  content: JsonObject | null | null;
}

/** `CreateNotebookRequest`, to be written. */
export interface CreateNotebookRequestInput {
  name: string;
  content?: JsonObjectInput | null | null | undefined;
}

export interface ListNotebooksRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Exactly this name. */
  name: string | null;
}

/** `ListNotebooksRequest`, to be written. */
export interface ListNotebooksRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  name?: string | null | undefined;
}

export interface ListNotebooksResponse {
  /** By `order`, newest first unless given. */
  notebooks: Notebook[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListNotebooksResponse`, to be written. */
export interface ListNotebooksResponseInput {
  notebooks: readonly NotebookInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetNotebookRequest {
  notebookId: string;
}

/** `GetNotebookRequest`, to be written. */
export interface GetNotebookRequestInput {
  notebookId: string;
}

export interface RenameNotebookRequest {
  notebookId: string;
  name: string;
}

/** `RenameNotebookRequest`, to be written. */
export interface RenameNotebookRequestInput {
  notebookId: string;
  name: string;
}

export interface SaveNotebookRequest {
  notebookId: string;
  /** The notebook, in nbformat 4, in place of what is there. */
  content: JsonObject | null;
  /** The version that was changed; whatever is there is replaced unless given. */
  version: number | null;
}

/** `SaveNotebookRequest`, to be written. */
export interface SaveNotebookRequestInput {
  notebookId: string;
  content: JsonObjectInput;
  version?: number | null | undefined;
}

export interface DeleteNotebookRequest {
  notebookId: string;
}

/** `DeleteNotebookRequest`, to be written. */
export interface DeleteNotebookRequestInput {
  notebookId: string;
}

export interface ImportNotebookRequest {
  /** What the notebook is called. */
  name: string;
  /** A notebook as a file of JSON. */
  chunk: Buffer;
}

/** `ImportNotebookRequest`, to be written. */
export interface ImportNotebookRequestInput {
  name?: string | null | undefined;
  chunk?: Uint8Array | null | undefined;
}

export interface SaveNotebookFileRequest {
  notebookId: string;
  /** The version that was changed; whatever is there is replaced unless given. */
  version: number | null;
  /** A notebook as a file of JSON. */
  chunk: Buffer;
}

/** `SaveNotebookFileRequest`, to be written. */
export interface SaveNotebookFileRequestInput {
  notebookId?: string | null | undefined;
  version?: number | null | undefined;
  chunk?: Uint8Array | null | undefined;
}

export interface ExportNotebookRequest {
  notebookId: string;
}

/** `ExportNotebookRequest`, to be written. */
export interface ExportNotebookRequestInput {
  notebookId: string;
}

export interface ExportNotebookPageRequest {
  notebookId: string;
}

/** `ExportNotebookPageRequest`, to be written. */
export interface ExportNotebookPageRequestInput {
  notebookId: string;
}

export interface NotebookFile {
  contentType: string;
  contentDisposition: string;
  contentLength: string;
  cacheControl: string;
  chunk: Buffer;
}

/** `NotebookFile`, to be written. */
export interface NotebookFileInput {
  contentType?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  contentLength?: Int64Input | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
}

export interface CreateCheckpointRequest {
  notebookId: string;
}

/** `CreateCheckpointRequest`, to be written. */
export interface CreateCheckpointRequestInput {
  notebookId: string;
}

export interface ListCheckpointsRequest {
  notebookId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListCheckpointsRequest`, to be written. */
export interface ListCheckpointsRequestInput {
  notebookId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListCheckpointsResponse {
  /** Newest first. */
  checkpoints: Checkpoint[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListCheckpointsResponse`, to be written. */
export interface ListCheckpointsResponseInput {
  checkpoints: readonly CheckpointInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface RestoreCheckpointRequest {
  notebookId: string;
  checkpointId: string;
}

/** `RestoreCheckpointRequest`, to be written. */
export interface RestoreCheckpointRequestInput {
  notebookId: string;
  checkpointId: string;
}

export interface DeleteCheckpointRequest {
  notebookId: string;
  checkpointId: string;
}

/** `DeleteCheckpointRequest`, to be written. */
export interface DeleteCheckpointRequestInput {
  notebookId: string;
  checkpointId: string;
}

export type KernelControl =
  | 'INTERRUPT'
  | 'RESTART'
  | 'SHUTDOWN'
  /** Files of its notebook's folder have changed. */
  | 'REFRESH';

export interface ControlKernelRequest {
  kernelId: string;
  control: KernelControl;
}

/** `ControlKernelRequest`, to be written. */
export interface ControlKernelRequestInput {
  kernelId: string;
  control: KernelControl;
}

export type ControlKernelResponse = Record<string, never>;

/** `ControlKernelResponse`, to be written. */
export type ControlKernelResponseInput = Record<string, never>;

export interface ConnectKernelRequest {
  /** Of the first request alone. */
  kernelId: string;
  /** The client's own, which it keeps when it connects again. */
  sessionId: string;
  message: HostedMessage | null;
}

/** `ConnectKernelRequest`, to be written. */
export interface ConnectKernelRequestInput {
  kernelId?: string | null | undefined;
  sessionId?: string | null | undefined;
  message?: HostedMessageInput | null | undefined;
}

export interface ConnectKernelAnswer {
  message: HostedMessage | null;
}

/** `ConnectKernelAnswer`, to be written. */
export interface ConnectKernelAnswerInput {
  message?: HostedMessageInput | null | undefined;
}

/** One message of Jupyter's protocol; its parts are JSON as bytes. */
export interface HostedMessage {
  channel: string;
  header: Buffer;
  parentHeader: Buffer;
  metadata: Buffer;
  content: Buffer;
  buffers: Buffer[];
}

/** `HostedMessage`, to be written. */
export interface HostedMessageInput {
  channel: string;
  header: Uint8Array;
  parentHeader: Uint8Array;
  metadata: Uint8Array;
  content: Uint8Array;
  buffers: readonly Uint8Array[];
}

export type CheckKernelAccessRequest = Record<string, never>;

/** `CheckKernelAccessRequest`, to be written. */
export type CheckKernelAccessRequestInput = Record<string, never>;

export type CheckKernelAccessResponse = Record<string, never>;

/** `CheckKernelAccessResponse`, to be written. */
export type CheckKernelAccessResponseInput = Record<string, never>;

export type KernelJobOutcome =
  | 'SUCCEEDED'
  | 'FAILED';

export interface RunKernelJobRequest {
  /** Of the first request alone. */
  start: KernelJobStart | null;
  /** Of all others. */
  rows: KernelJobRows | null;
}

/** `RunKernelJobRequest`, to be written. */
export interface RunKernelJobRequestInput {
  start?: KernelJobStartInput | null | undefined;
  rows?: KernelJobRowsInput | null | undefined;
}

/** Either `code` or `notebook_id`. */
export interface KernelJobStart {
  /** Python. */
  code: string;
  /** A notebook as it is now; its cells run in their order. */
  notebookId: string | null;
  /** Variables of the program: those that a cell tagged `parameters` gives a default to, and others. */
  parameters: Record<string, JsonValue>;
  /** Names of the datasets whose rows follow. */
  inputs: string[];
  /** Names of the datasets that the program may write. */
  outputs: string[];
  /** Of the whole program, from when it begins. */
  timeLimitSeconds: number;
  /** The usual one of kernels unless given. */
  memoryLimitMb: number | null;
}

/** `KernelJobStart`, to be written. */
export interface KernelJobStartInput {
  code?: string | null | undefined;
  notebookId?: string | null | undefined;
  parameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
  inputs?: readonly string[] | null | undefined;
  outputs?: readonly string[] | null | undefined;
  timeLimitSeconds?: number | null | undefined;
  memoryLimitMb?: number | null | undefined;
}

/** A piece of a dataset: JSON objects, each on a line of its own. A piece may end within one. */
export interface KernelJobRows {
  dataset: string;
  /** Up to 256 KiB. */
  chunk: Buffer;
  /** The dataset is whole. An input without rows is one piece that says this. */
  isLast: boolean;
}

/** `KernelJobRows`, to be written. */
export interface KernelJobRowsInput {
  dataset: string;
  chunk: Uint8Array;
  isLast: boolean;
}

export interface RunKernelJobAnswer {
  /** What the program prints, in its order. */
  log: KernelJobLog | null;
  /** An output, after the program has ended well. Those that it has not written do not come. */
  rows: KernelJobRows | null;
  /** Of the last answer alone. */
  finished: KernelJobFinished | null;
  /** Once, when the program begins: from then on it is paid for. */
  started: KernelJobStarted | null;
}

/** `RunKernelJobAnswer`, to be written. */
export interface RunKernelJobAnswerInput {
  log?: KernelJobLogInput | null | undefined;
  rows?: KernelJobRowsInput | null | undefined;
  finished?: KernelJobFinishedInput | null | undefined;
  started?: KernelJobStartedInput | null | undefined;
}

export type KernelJobStarted = Record<string, never>;

/** `KernelJobStarted`, to be written. */
export type KernelJobStartedInput = Record<string, never>;

export interface KernelJobLog {
  text: string;
  /** Written to its standard error. */
  isError: boolean;
}

/** `KernelJobLog`, to be written. */
export interface KernelJobLogInput {
  text: string;
  isError: boolean;
}

export interface KernelJobFinished {
  outcome: KernelJobOutcome | null;
  /** Of one that failed: `exception`, `timed_out`, `out_of_memory`, `too_large` or `died`. */
  code: string;
  /** What went wrong, for people. */
  message: string;
  /** From when the program began to its end. */
  seconds: number;
  /** The place of the cell that failed, from 0; null for code, and for a job that failed in no cell. */
  cell: number | null;
}

/** `KernelJobFinished`, to be written. */
export interface KernelJobFinishedInput {
  outcome: KernelJobOutcome | null;
  code: string;
  message: string;
  seconds: number;
  cell?: number | null | undefined;
}

export interface FindNotebookRequest {
  /** Its id, or its name. */
  name: string;
}

/** `FindNotebookRequest`, to be written. */
export interface FindNotebookRequestInput {
  name: string;
}

export interface FoundNotebook {
  id: string;
  name: string;
  /** As the notebook's metadata say it; empty where they do not. */
  language: string;
}

/** `FoundNotebook`, to be written. */
export interface FoundNotebookInput {
  id: string;
  name: string;
  language: string;
}

export interface CheckProgramsRequest {
  programs: CheckedProgram[];
}

/** `CheckProgramsRequest`, to be written. */
export interface CheckProgramsRequestInput {
  programs: readonly CheckedProgramInput[];
}

/** Either `code` or `notebook_id`. */
export interface CheckedProgram {
  /** Python. */
  code: string;
  /** A notebook as it is now. */
  notebookId: string | null;
  /** As of the job that is to run it: the cell that they become is checked too. */
  parameters: Record<string, JsonValue>;
}

/** `CheckedProgram`, to be written. */
export interface CheckedProgramInput {
  code?: string | null | undefined;
  notebookId?: string | null | undefined;
  parameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export interface CheckProgramsResponse {
  errors: ProgramError[];
}

/** `CheckProgramsResponse`, to be written. */
export interface CheckProgramsResponseInput {
  errors: readonly ProgramErrorInput[];
}

export interface ProgramError {
  /** The place of the program in the request, from 0. */
  program: number;
  /** The place of the cell in its notebook, from 0; null for code, and for a mistake in the parameters. */
  cell: number | null;
  /** As the kernel calls it, for people: "SyntaxError: invalid syntax". */
  message: string;
  /** In the code or the cell, from 1, in characters; null where it is not known. */
  line: number | null;
  column: number | null;
}

/** `ProgramError`, to be written. */
export interface ProgramErrorInput {
  program: number;
  cell?: number | null | undefined;
  message: string;
  line?: number | null | undefined;
  column?: number | null | undefined;
}

export interface RunningServices {
  /** The kernels that run, the one that was started first before the others. */
  services: RunningService[];
}

/** `RunningServices`, to be written. */
export interface RunningServicesInput {
  services: readonly RunningServiceInput[];
}

export interface RunningService {
  kernelId: string;
  /** Null for a kernel that was started without one. */
  notebookId: string | null;
  /** The kind of kernel: `python3`. */
  name: string;
  /** `starting`, `idle`, `busy` or `restarting`, as Jupyter says it. */
  executionState: string;
  lastActivity: Date | null;
  /** Clients connected now. */
  connections: number;
  /** When the kernel was started. */
  startedAt: Date | null;
}

/** `RunningService`, to be written. */
export interface RunningServiceInput {
  kernelId: string;
  notebookId?: string | null | undefined;
  name: string;
  executionState: string;
  lastActivity?: Date | null | undefined;
  connections: number;
  startedAt?: Date | null | undefined;
}

export interface InterruptKernelRequest {
  kernelId: string;
}

/** `InterruptKernelRequest`, to be written. */
export interface InterruptKernelRequestInput {
  kernelId: string;
}

export type InterruptKernelResponse = Record<string, never>;

/** `InterruptKernelResponse`, to be written. */
export type InterruptKernelResponseInput = Record<string, never>;

export type ListRunningServicesRequest = Record<string, never>;

/** `ListRunningServicesRequest`, to be written. */
export type ListRunningServicesRequestInput = Record<string, never>;

export interface EnvironmentVariable {
  /** As the code in a kernel asks for it. */
  name: string;
  /** When it was set for the last time. */
  updatedAt: Date | null;
}

/** `EnvironmentVariable`, to be written. */
export interface EnvironmentVariableInput {
  name: string;
  updatedAt?: Date | null | undefined;
}

export type ListEnvironmentVariablesRequest = Record<string, never>;

/** `ListEnvironmentVariablesRequest`, to be written. */
export type ListEnvironmentVariablesRequestInput = Record<string, never>;

export interface ListEnvironmentVariablesResponse {
  /** In alphabetical order. */
  variables: EnvironmentVariable[];
}

/** `ListEnvironmentVariablesResponse`, to be written. */
export interface ListEnvironmentVariablesResponseInput {
  variables: readonly EnvironmentVariableInput[];
}

export interface SetEnvironmentVariableRequest {
  /** Of letters, digits and underscores, as shells have it. */
  name: string;
  /** Without the character NUL. */
  value: string;
}

/** `SetEnvironmentVariableRequest`, to be written. */
export interface SetEnvironmentVariableRequestInput {
  name: string;
  value: string;
}

export interface DeleteEnvironmentVariableRequest {
  /** Of the variable that goes. */
  name: string;
}

/** `DeleteEnvironmentVariableRequest`, to be written. */
export interface DeleteEnvironmentVariableRequestInput {
  name: string;
}

/** The answer to a delete. */
export interface EnvironmentVariableDeleted {
  /** Of the variable that is gone. */
  name: string;
  deleted: boolean;
}

/** `EnvironmentVariableDeleted`, to be written. */
export interface EnvironmentVariableDeletedInput {
  name: string;
  deleted: boolean;
}

/** `FILE`, or a `FOLDER` of the notebook's folder. */
export type FolderFileKind =
  | 'FILE'
  | 'FOLDER';

export interface FolderFile {
  /** From the notebook's folder on: `results/2026.csv`. */
  path: string;
  /** Of a file or of a folder in it. */
  kind: FolderFileKind | null;
  /** Zero for a folder. */
  sizeBytes: number;
  updatedAt: Date | null;
}

/** `FolderFile`, to be written. */
export interface FolderFileInput {
  path: string;
  kind: FolderFileKind | null;
  sizeBytes: number;
  updatedAt?: Date | null | undefined;
}

export interface ListFolderFilesRequest {
  notebookId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
  /** Only what is in this folder, and in those within it. */
  folder: string | null;
}

/** `ListFolderFilesRequest`, to be written. */
export interface ListFolderFilesRequestInput {
  notebookId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
  folder?: string | null | undefined;
}

export interface ListFolderFilesResponse {
  /** By path. */
  files: FolderFile[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListFolderFilesResponse`, to be written. */
export interface ListFolderFilesResponseInput {
  files: readonly FolderFileInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetFolderFileRequest {
  notebookId: string;
  /** From the notebook's folder on. */
  path: string;
}

/** `GetFolderFileRequest`, to be written. */
export interface GetFolderFileRequestInput {
  notebookId: string;
  path: string;
}

export interface SaveFolderFileRequest {
  notebookId: string;
  /** From the notebook's folder on. */
  path: string;
  /** The file as it is. */
  chunk: Buffer;
}

/** `SaveFolderFileRequest`, to be written. */
export interface SaveFolderFileRequestInput {
  notebookId?: string | null | undefined;
  path?: string | null | undefined;
  chunk?: Uint8Array | null | undefined;
}

export interface DeleteFolderFileRequest {
  notebookId: string;
  /** From the notebook's folder on. */
  path: string;
}

/** `DeleteFolderFileRequest`, to be written. */
export interface DeleteFolderFileRequestInput {
  notebookId: string;
  path: string;
}

/** The answer to a delete. */
export interface FolderFileDeleted {
  path: string;
  deleted: boolean;
}

/** `FolderFileDeleted`, to be written. */
export interface FolderFileDeletedInput {
  path: string;
  deleted: boolean;
}

/** What a dataset is copied as. */
export type CopiedDatasetFormat =
  /** As the dataset is kept: `pd.read_parquet`, where the kernel has pyarrow. */
  | 'PARQUET'
  /** With a header, in UTF-8: for kernels that have no more than Python. */
  | 'CSV'
  /** One object a line. */
  | 'JSON_LINES';

export interface CopyDatasetRequest {
  notebookId: string;
  datasetId: string;
  /** Its number; the current one unless given. */
  version: number;
  format: CopiedDatasetFormat;
  /**
   * From the notebook's folder on. Unless given, the name of the dataset with `.parquet`, `.csv` or `.jsonl`; what no name of a file has
   * in it is `_`.
   */
  path: string | null;
}

/** `CopyDatasetRequest`, to be written. */
export interface CopyDatasetRequestInput {
  notebookId: string;
  datasetId: string;
  version?: number | null | undefined;
  format?: CopiedDatasetFormat | null | undefined;
  path?: string | null | undefined;
}

/** A dataset as a file of a notebook. */
export interface CopiedDataset {
  /** As it is now. */
  file: FolderFile | null;
  datasetId: string;
  /** The version that was copied. */
  versionId: string;
  /** Its number, from 1. */
  version: number;
}

/** `CopiedDataset`, to be written. */
export interface CopiedDatasetInput {
  file?: FolderFileInput | null | undefined;
  datasetId: string;
  versionId: string;
  version: number;
}

export type NotebookRunStatus =
  /** It waits for a kernel. */
  | 'PENDING'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED';

export interface NotebookRun {
  id: string;
  notebookId: string;
  /** Of the notebook when the run was asked for: that is what runs. */
  notebookVersion: number;
  /** How far it is. */
  status: NotebookRunStatus | null;
  /** As they were given. */
  parameters: Record<string, JsonValue>;
  /** The kind of kernel; empty stands for the usual one. */
  kernelName: string;
  /** How often it was begun: more than once when what carried it out was lost. */
  attempts: number;
  /** Of those that have something to execute, how many there are, and how many are done. */
  cells: number;
  /** How many of them are over. */
  cellsDone: number;
  /** The place of the cell that failed, in the notebook, from 0; null when none has. */
  failedCell: number | null;
  /** Why it failed: `exception`, `timed_out`, `out_of_memory`, `died`, `lost`, `payment_required` or `refused`; empty unless it has. */
  code: string;
  /** The same, for people. */
  message: string;
  createdAt: Date | null;
  /** Null until started. */
  startedAt: Date | null;
  /** Null until finished. */
  finishedAt: Date | null;
}

/** `NotebookRun`, to be written. */
export interface NotebookRunInput {
  id: string;
  notebookId: string;
  notebookVersion: number;
  status: NotebookRunStatus | null;
  parameters: Readonly<Record<string, JsonValueInput | undefined>>;
  kernelName: string;
  attempts: number;
  cells: number;
  cellsDone: number;
  failedCell?: number | null | undefined;
  code: string;
  message: string;
  createdAt?: Date | null | undefined;
  startedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
}

export interface StartNotebookRunRequest {
  notebookId: string;
  /** Variables of the notebook: those that a cell tagged `parameters` gives a default to, and others. */
  parameters: Record<string, JsonValue>;
  /** Unless given the one that the notebook names in `metadata.kernelspec`, or else one of the language that it is written in. */
  kernelName: string;
  idempotencyKey: string;
}

/** `StartNotebookRunRequest`, to be written. */
export interface StartNotebookRunRequestInput {
  notebookId: string;
  parameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
  kernelName?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
}

export interface ListNotebookRunsRequest {
  notebookId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListNotebookRunsRequest`, to be written. */
export interface ListNotebookRunsRequestInput {
  notebookId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListNotebookRunsResponse {
  /** Newest first. */
  runs: NotebookRun[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListNotebookRunsResponse`, to be written. */
export interface ListNotebookRunsResponseInput {
  runs: readonly NotebookRunInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetNotebookRunRequest {
  notebookId: string;
  runId: string;
}

/** `GetNotebookRunRequest`, to be written. */
export interface GetNotebookRunRequestInput {
  notebookId: string;
  runId: string;
}

export interface CancelNotebookRunRequest {
  notebookId: string;
  runId: string;
}

/** `CancelNotebookRunRequest`, to be written. */
export interface CancelNotebookRunRequestInput {
  notebookId: string;
  runId: string;
}

export interface WatchNotebookRunRequest {
  notebookId: string;
  runId: string;
  lastEventId: string;
}

/** `WatchNotebookRunRequest`, to be written. */
export interface WatchNotebookRunRequestInput {
  notebookId: string;
  runId: string;
  lastEventId?: string | null | undefined;
}

export type NotebookRunEventKind =
  | 'run'
  | 'finished';

export interface NotebookRunEvent {
  /** How far the run is. */
  eventId: string;
  /** `finished` is the last one. */
  event: NotebookRunEventKind | null;
  /** The run after this step. */
  data: NotebookRun | null;
}

/** `NotebookRunEvent`, to be written. */
export interface NotebookRunEventInput {
  eventId: string;
  event: NotebookRunEventKind | null;
  data?: NotebookRunInput | null | undefined;
}

export interface ExportNotebookRunRequest {
  notebookId: string;
  runId: string;
}

/** `ExportNotebookRunRequest`, to be written. */
export interface ExportNotebookRunRequestInput {
  notebookId: string;
  runId: string;
}

export interface ExportNotebookRunPageRequest {
  notebookId: string;
  runId: string;
}

/** `ExportNotebookRunPageRequest`, to be written. */
export interface ExportNotebookRunPageRequestInput {
  notebookId: string;
  runId: string;
}
