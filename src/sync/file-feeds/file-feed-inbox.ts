/** Files that arrive somewhere. Folders are named from the feed's own folder on; the empty text is that one. */
export interface Inbox {
  /** Names of the folders in the feed's folder, those for what is done left out. */
  listFolders(): Promise<string[]>
  /** Plain files of a folder, in no order; a folder that is not there has none. */
  list(folder: string): Promise<InboxFile[]>
  /** The whole file; null when it is longer than `mostBytes`, or not there any more. */
  read(folder: string, name: string, mostBytes: number): Promise<Uint8Array | null>
  /** As `list` tells it, now; null when it is gone. */
  look(folder: string, name: string): Promise<InboxFile | null>
  /** Moves a file into a folder beside it, under a name that is free there. */
  move(folder: string, name: string, to: DoneFolder): Promise<void>
  /** Writes a text into a folder beside the files. */
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

/** Why nothing can be found out about a feed now; in words for its operator, without secrets. */
export class InboxUnreachable extends Error {
  override readonly name = 'InboxUnreachable'
}

/** Names that programs give to files they are still writing, and hidden ones. */
const UNFINISHED = /^\.|~$|\.(part|partial|tmp|temp|filepart|crdownload|swp|lock)$/i

export function isUnfinished(name: string): boolean {
  return UNFINISHED.test(name)
}

/** The name under which a file is put beside others: with a number where the name is taken. */
export async function freeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  if (!(await isTaken(name))) return name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 2; ; number += 1) {
    const other = `${stem}-${number}${ending}`
    if (!(await isTaken(other))) return other
  }
}
