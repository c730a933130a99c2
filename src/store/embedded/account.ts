import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'

/** Operating system user that PostgreSQL runs as. */
export interface Account {
  name: string
  uid: number
  gid: number
  /** True when PostgreSQL must run as another user because this process is root, which PostgreSQL refuses. */
  isSwitched: boolean
}

/** Users that may run PostgreSQL for root, best first: a dedicated user keeps the files from all other programs. */
const UNPRIVILEGED_NAMES = ['countinghouse', 'postgres', 'nobody']

/**
 * This process' own user, or for root an unprivileged one. `existing` is a file of an earlier start: its owner is kept,
 * so that adding a user to the system later does not lock us out of our data. Throws when the system has no suitable
 * user.
 */
export async function chooseAccount(existing?: string): Promise<Account> {
  const me = whoAmI()
  if (me.uid !== 0) return { ...me, isSwitched: false }
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'))
  const ownerUid = existing === undefined ? undefined : (await stat(existing)).uid
  const fitting =
    ownerUid === undefined
      ? UNPRIVILEGED_NAMES.map((name) => users.find((user) => user.name === name)).find((user) => user !== undefined)
      : users.find((user) => user.uid === ownerUid)
  if (!fitting || fitting.uid === 0) {
    const wanted = ownerUid === undefined ? `one of ${UNPRIVILEGED_NAMES.join(', ')}` : `uid ${ownerUid}, who owns ${existing}`
    throw new Error(`PostgreSQL does not run as root and /etc/passwd has no user to run it as (${wanted}); add one or set DATABASE_URL`)
  }
  return { ...fitting, isSwitched: true }
}

function whoAmI(): { name: string; uid: number; gid: number } {
  try {
    const { username, uid, gid } = userInfo()
    return { name: username, uid, gid }
  } catch (error) {
    throw new Error('this user has no entry in /etc/passwd, which PostgreSQL needs; add one or set DATABASE_URL', { cause: error })
  }
}

function parsePasswd(text: string): { name: string; uid: number; gid: number }[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}
