import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { createCompany } from '../../src/store/companies.ts'
import { findConnection } from '../../src/store/connections.ts'
import type { RecordScope } from '../../src/store/records.ts'
import { listRuns } from '../../src/store/sync-runs.ts'
import { disconnect, suspend } from '../../src/sync/actions.ts'
import { EntityMismatch } from '../../src/sync/grant.ts'
import { effort } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'
import { type House, openHouse } from '../sync/house.ts'
import { BankWorld, type TrueAccount, toDay } from './bank-world.ts'
import { Dice } from './dice.ts'
import { authorize, type ReadAccount, type ReadMovement, readAccounts, readMovements } from './owner.ts'
import { type Login, RelinkedBank } from './relinked-bank.ts'

const bank = new RelinkedBank()
let house: House
beforeAll(async () => {
  house = await openHouse([], [bank.description])
  house.deps.readLeaseMs = 0
})
afterAll(async () => await house.close())

/** Set to play one life again. */
const onlySeed = process.env.SEED === undefined ? null : Number(process.env.SEED)
const counts = { reconnects: 0, relinks: 0, refused: 0, strangers: 0, disconnects: 0, kept: 0, begun: 0 }

/** What the API showed after the last good sync, by true names. */
interface Shown {
  /** Account by its one true name, with the id that readers know. */
  accounts: Map<number, string>
  /** Per account's id: the tags of its living movements with their record. */
  movements: Map<string, Map<string, ReadMovement>>
}

/** A business at its bank, with everything that must hold after each step. */
class Life {
  readonly #dice: Dice
  readonly #world: BankWorld
  readonly #scope: RecordScope
  #connectionId = ''
  #shown: Shown = { accounts: new Map(), movements: new Map() }
  /** Which true account an id has ever stood for. */
  readonly #meanings = new Map<string, number>()

  constructor(seed: number, companyId: string) {
    this.#dice = new Dice(seed)
    this.#world = new BankWorld(this.#dice, `login-${seed}`)
    this.#scope = { instanceId: house.instanceId, companyId, serviceId: toServiceId('relinked-bank') }
  }

  async begin(): Promise<void> {
    const login = this.#world.relink(this.#world.accounts, { isOtherOwner: false, firstDay: 1 })
    this.#connectionId = await this.#authorize(login)
    await this.#sync()
    await this.#check({ firstDay: 1, isRelink: false })
  }

  async step(): Promise<void> {
    this.#live()
    const dice = this.#dice
    if (dice.chance(0.4)) {
      await this.#sync()
      return await this.#check({ firstDay: null, isRelink: false })
    }
    if (dice.chance(0.15)) await suspend(house.deps, this.#scope)
    else if (dice.chance(0.3)) await this.#lose()
    const kind = dice.next()
    counts.reconnects += 1
    if (kind < 0.15) await this.#refuseOtherEntity()
    else if (kind < 0.25 && this.#canTellStrangers()) await this.#refuseStranger()
    if (kind < 0.4) await this.#repair()
    else if (kind < 0.47) await this.#disconnect()
    else await this.#relink()
  }

  /** What goes on at a bank between two visits. */
  #live(): void {
    const dice = this.#dice
    const world = this.#world
    let closable = Math.floor(this.#shown.accounts.size / 2)
    for (let events = dice.below(4); events > 0; events -= 1) {
      const open = world.accounts.filter(({ isOpen }) => isOpen)
      const account = dice.pick(open)
      if (dice.chance(0.25)) world.openAccount()
      else if (dice.chance(0.3) && closable > 0 && this.#mayClose(account)) {
        closable -= 1
        world.closeAccount(account)
      } else if (dice.chance(0.5) && this.#isSettled(account)) world.rename(account)
      else world.reorder()
    }
    world.passDay()
  }

  /** One account that goes on is always left, and nobody closes while a look-alike opens. */
  #mayClose(account: TrueAccount): boolean {
    return this.#isSettled(account) && this.#goingOn().some((one) => one !== account)
  }

  /** The owner may share one look-alike without the other, but nobody could say which of two twins it is. */
  #mayStayAway(account: TrueAccount): boolean {
    return this.#isSettled(account) && !this.#world.hasTwin(account)
  }

  /** None that looks alike has just been opened. */
  #isSettled(account: TrueAccount): boolean {
    return this.#world.lookAlikes(account).every((one) => one.wasRead)
  }

  /** Accounts that are shown and open, and that something tells from others. */
  #goingOn(): TrueAccount[] {
    const { accounts } = this.#world
    return accounts.filter((one) => one.isOpen && this.#shown.accounts.has(one.truth) && (one.mask !== null || one.persistentId !== null))
  }

  #canTellStrangers(): boolean {
    const shown = this.#world.accounts.filter((one) => this.#shown.accounts.has(one.truth))
    return shown.length > 0 && shown.every((one) => one.mask !== null || one.persistentId !== null)
  }

  async #authorize(login: Login): Promise<string> {
    bank.logins.set(login.reference, login)
    bank.chosen = login.reference
    return await authorize(house.deps, this.#scope)
  }

  async #sync(): Promise<void> {
    expect(await house.sync(this.#connectionId, { reason: 'schedule' })).toEqual({ done: true })
  }

  /** The source takes the login away: the connection is at fault until its owner comes. */
  async #lose(): Promise<void> {
    const reference = this.#world.login?.reference ?? ''
    const login = bank.logins.get(reference)
    bank.logins.delete(reference)
    await this.#sync()
    if (login) bank.logins.set(reference, login)
    expect(await this.#connection()).toMatchObject({ status: 8, fault: 'the login is gone' })
  }

  async #refuseOtherEntity(): Promise<void> {
    counts.refused += 1
    const before = await this.#everything()
    const login: Login = { entity: { id: 'other', name: 'Other Bank' }, reference: `other-${randomUUID()}`, accounts: [], changes: [] }
    await expect(this.#authorize(login)).rejects.toThrow(EntityMismatch)
    expect(await this.#everything()).toEqual(before)
  }

  /** The same bank, but a login that is somebody else's. */
  async #refuseStranger(): Promise<void> {
    counts.strangers += 1
    const before = await this.#published()
    const stranger = new BankWorld(new Dice(this.#dice.below(1_000_000)), `stranger-${randomUUID()}`)
    const login = stranger.relink(stranger.accounts, { isOtherOwner: true, firstDay: 1 })
    for (const account of login.accounts) Object.assign(account, { mask: `x${account.balance}`, persistentId: null })
    await expect(this.#authorize(login)).rejects.toThrow(EntityMismatch)
    expect(await this.#published()).toEqual(before)
  }

  /** The same login works again: nothing has another id. */
  async #repair(): Promise<void> {
    expect(await this.#authorize(this.#world.login ?? expect.fail())).toBe(this.#connectionId)
    await this.#sync()
    await this.#check({ firstDay: null, isRelink: false })
  }

  async #relink(): Promise<void> {
    counts.relinks += 1
    const dice = this.#dice
    const open = this.#world.accounts.filter(({ isOpen }) => isOpen)
    const keep = dice.pick(this.#goingOn().length > 0 ? this.#goingOn() : open)
    const shared = open.filter((one) => one === keep || !dice.chance(0.1) || !this.#mayStayAway(one))
    const firstDay = dice.chance(0.5) ? 1 : dice.below(30)
    const login = this.#world.relink(shared, { isOtherOwner: dice.chance(0.3), firstDay })
    expect(await this.#authorize(login)).toBe(this.#connectionId)
    await this.#sync()
    await this.#check({ firstDay, isRelink: true })
  }

  async #disconnect(): Promise<void> {
    counts.disconnects += 1
    const isSameLogin = this.#dice.chance(0.5)
    const before = this.#shown
    await disconnect(house.deps, this.#scope)
    if (this.#dice.chance(0.5)) await house.erase(this.#connectionId)
    const old = this.#connectionId
    this.#shown = { accounts: new Map(), movements: new Map() }
    const open = this.#world.accounts.filter(({ isOpen }) => isOpen)
    const login = isSameLogin ? this.#world.login : this.#world.relink(open, { isOtherOwner: false, firstDay: 1 })
    this.#connectionId = await this.#authorize(login ?? expect.fail())
    expect(this.#connectionId).not.toBe(old)
    await this.#sync()
    await house.erase(old).catch(() => undefined)
    if (isSameLogin) for (const [truth, id] of before.accounts) if (this.#world.listed().has(truth)) this.#meanings.set(id, truth)
    await this.#check({ firstDay: 1, isRelink: false })
    if (isSameLogin) {
      for (const [truth, id] of this.#shown.accounts) expect(before.accounts.get(truth) ?? id, 'an id after a disconnect').toBe(id)
    }
  }

  async #connection() {
    return await findConnection(house.deps.database, house.instanceId, this.#connectionId)
  }

  async #published(): Promise<unknown> {
    return [await readAccounts(house.deps, this.#scope), await readMovements(house.deps, this.#scope)]
  }

  async #everything(): Promise<unknown> {
    const { rows } = await house.deps.database.query(
      `select (select count(*) from record_aliases where instance_id = $1 and company_id = $2) as aliases,
         (select count(*) from record_versions where instance_id = $1 and company_id = $2) as versions,
         (select count(*) from sync_runs where instance_id = $1 and connection_id = $3) as runs,
         (select version from publications where company_id = $2) as publication`,
      [this.#scope.instanceId, this.#scope.companyId, this.#connectionId],
    )
    return [await this.#connection(), await this.#published(), rows]
  }

  async #check(sync: { firstDay: number | null; isRelink: boolean }): Promise<void> {
    expect(await this.#connection(), 'the fault is cleared').toMatchObject({ status: 19, fault: null, reidentify: false })
    const [run] = await listRuns(house.deps.database, house.instanceId, this.#connectionId, 1)
    expect(['published', 'unchanged']).toContain(run?.state)
    const accounts = await readAccounts(house.deps, this.#scope)
    const movements = await readMovements(house.deps, this.#scope)
    const listed = this.#world.listed()
    expect(accounts.map(toTruth).sort(), 'each account once').toEqual([...listed.keys()].sort())
    this.#checkIds(accounts, sync.isRelink)
    expect(new Set(movements.map(({ category }) => category)).size, 'no movement twice').toBe(movements.length)
    const shown: Shown = {
      accounts: new Map(accounts.map((account) => [toTruth(account), account.origId])),
      movements: groupMovements(movements),
    }
    for (const [truth, id] of shown.accounts) {
      const was = this.#shown.movements.get(id) ?? new Map<string, ReadMovement>()
      const is = shown.movements.get(id) ?? new Map<string, ReadMovement>()
      const told = listed.get(truth) ?? new Set<string>()
      const first = sync.firstDay === null ? '' : firstDayOf(is, told)
      const kept = [...was.values()].filter((one) => !one.isPending && (one.postedOn ?? '') < first).map(({ category }) => category)
      const older = sync.firstDay === null ? [...was.keys()].filter((tag) => !told.has(tag) && !this.#wasBooked(was.get(tag))) : kept
      expect([...is.keys()].sort(), `movements of ${truth}`).toEqual([...new Set([...told, ...older])].sort())
      this.#checkMovementIds(was, is)
    }
    this.#shown = shown
    for (const account of this.#world.accounts) if (listed.has(account.truth)) account.wasRead = true
  }

  /** A pending movement that is not told any more has been booked. */
  #wasBooked(movement: ReadMovement | undefined): boolean {
    return movement?.isPending ?? false
  }

  #checkIds(accounts: readonly ReadAccount[], isRelink: boolean): void {
    for (const account of accounts) {
      const truth = toTruth(account)
      expect(this.#meanings.get(account.origId) ?? truth, 'an id stands for one account').toBe(truth)
      this.#meanings.set(account.origId, truth)
      const before = this.#shown.accounts.get(truth)
      if (before === undefined || before === account.origId) {
        counts.kept += before === undefined ? 0 : 1
        continue
      }
      counts.begun += 1
      const own = this.#world.accounts.find((one) => one.truth === truth)
      expect(isRelink && own && own.persistentId === null, `the id of ${truth} has changed`).toBe(true)
      const isUnmistakable = own && own.mask !== null && this.#world.lookAlikes(own).length === 1
      expect(isUnmistakable, `the id of ${truth} has changed though nothing looks like it`).toBe(false)
    }
  }

  /** A movement that equals no other keeps its id. */
  #checkMovementIds(was: Map<string, ReadMovement>, is: Map<string, ReadMovement>): void {
    for (const [tag, movement] of is) {
      const before = was.get(tag)
      const equals = (list: Map<string, ReadMovement>) => [...list.values()].filter((one) => keyOf(one) === keyOf(movement)).length
      if (before && equals(was) === 1 && equals(is) === 1) expect(movement.id, `the id of ${tag}`).toBe(before.id)
    }
  }
}

function toTruth(account: ReadAccount): number {
  return account.actualBalance
}

function keyOf(one: ReadMovement): string {
  return JSON.stringify([one.postedOn, one.transactionOn, one.amount, one.description])
}

function firstDayOf(is: Map<string, ReadMovement>, told: ReadonlySet<string>): string {
  const days = [...is.values()].filter(({ category }) => told.has(category)).map((one) => one.postedOn ?? one.transactionOn ?? '')
  return days.sort()[0] ?? toDay(0)
}

function groupMovements(movements: readonly ReadMovement[]): Shown['movements'] {
  const groups: Shown['movements'] = new Map()
  for (const movement of movements) {
    const group = groups.get(movement.accountOrigId) ?? new Map<string, ReadMovement>()
    groups.set(movement.accountOrigId, group.set(movement.category, movement))
  }
  return groups
}

async function live(seed: number): Promise<void> {
  const companyId = randomUUID()
  const details = { industry: '', fullAddress: '', country: 'CA', city: '', companyContactNumber: '' }
  await createCompany(house.deps.database, house.instanceId, companyId, { name: `Company ${seed}`, ...details })
  const life = new Life(seed, companyId)
  try {
    await life.begin()
    for (let step = 0; step < 20; step += 1) await life.step()
  } catch (error) {
    throw new Error(`seed ${seed} (SEED=${seed} plays it again)`, { cause: error })
  }
  bank.logins.clear()
}

it(`${effort.reconnects} reconnects of all kinds double no account, keep the ids, refuse strangers and clear the fault`, async () => {
  const started = performance.now()
  const first = onlySeed ?? 1
  for (let seed = first; counts.reconnects < effort.reconnects && (onlySeed === null || seed === first); seed += 1) await live(seed)
  for (const [name, count] of Object.entries(counts)) reportFigure(`reconnect: ${name}`, count)
  reportFigure('reconnect: seconds', Math.round((performance.now() - started) / 1_000))
}, 3_600_000)
