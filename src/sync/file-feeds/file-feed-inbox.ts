/** Inbox: a place where files arrive. Folder names are relative to the feed's own folder; empty: that folder. */
export interface Inbox {
  /** Names of the folders in the feed's folder, without those for finished files. */
  listFolders(): Promise<string[]>
  /** Plain files of a folder, unordered; empty for a missing folder. */
  list(folder: string): Promise<InboxFile[]>
  /** The whole file; null when it is longer than `mostBytes`, or gone. */
  read(folder: string, name: string, mostBytes: number): Promise<Uint8Array | null>
  /** Current metadata, as in `list`; null when it is gone. */
  look(folder: string, name: string): Promise<InboxFile | null>
  /** Moves a file into a sibling folder, under a free name. */
  move(folder: string, name: string, to: DoneFolder): Promise<void>
  /** Writes a text into a sibling folder. */
  write(folder: string, to: DoneFolder, name: string, text: string): Promise<void>
  close(): Promise<void>
}

export interface InboxFile {
  name: string
  size: number
  modifiedMs: number
}

export type DoneFolder = 'archive' | 'quarantine'
export const DONE_FOLDERS: readonly string[] = ['archive', 'quarantine']

/** Thrown when a feed cannot be read now; a text for its operator, without secrets. */
export class InboxUnreachable extends Error {
  override readonly name = 'InboxUnreachable'
}

/** Names of files still being written, and hidden ones. */
const UNFINISHED = /^\.|~$|\.(part|partial|tmp|temp|filepart|crdownload|swp|lock)$/i

export function isUnfinished(name: string): boolean {
  return UNFINISHED.test(name)
}

/** Complete files, oldest first: an earlier statement must not be processed after a later one. Equal times: by name. */
export function listComplete(files: readonly InboxFile[]): InboxFile[] {
  return files.filter(({ name }) => !isUnfinished(name)).sort((a, b) => a.modifiedMs - b.modifiedMs || (a.name < b.name ? -1 : 1))
}

/** Free file name: with a number where the name is taken. */
export async function freeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  if (!(await isTaken(name))) return name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 2; ; number += 1) {
    const other = `${stem}-${number}${ending}`
    if (!(await isTaken(other))) return other
  }
}
