import { afterAll, beforeAll } from 'vitest'
import { openTestFolder, type Service, type ServiceSettings, startService } from '../process/service.ts'
import { type TestDatabase, testDatabase } from './database.ts'

/**
 * Opens something before the tests of the file or of the `describe`, and closes it after them if it can be closed, the
 * last one first. The returned object stands for it: its properties exist once it is open, in hooks and tests.
 */
export function openForTests<T extends object>(open: () => T | Promise<T>, close: (opened: T) => unknown = closeIfPossible): T {
  let opened: T | null = null
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(async () => {
    if (opened) await close(opened)
  })
  const get = (): T => {
    if (!opened) throw new Error('not open: used outside of hooks and tests, or could not be opened')
    return opened
  }
  const standIn: T = Object.create(null)
  return new Proxy(standIn, {
    get: (_standIn, key) => {
      const value: unknown = Reflect.get(get(), key)
      // Methods of a class need the harness itself.
      return typeof value === 'function' ? value.bind(get()) : value
    },
    set: (_standIn, key, value) => Reflect.set(get(), key, value),
    defineProperty: (_standIn, key, descriptor) => Reflect.defineProperty(get(), key, descriptor),
    deleteProperty: (_standIn, key) => Reflect.deleteProperty(get(), key),
    has: (_standIn, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_standIn, key) => Reflect.getOwnPropertyDescriptor(get(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(get()),
  })
}

/** A separate database, as `testDatabase` makes it. */
export function databaseForTests(options: { migrated?: boolean } = {}): TestDatabase {
  return openForTests(
    () => testDatabase(options),
    (test) => test.drop(),
  )
}

/** A temporary folder, which is removed with what is in it. */
export function folderForTests(): { path: string } {
  return openForTests(openTestFolder, (folder) => folder.remove())
}

/** The service in its own process. */
export function serviceForTests(settings: () => ServiceSettings): Service {
  return openForTests(
    () => startService(settings()),
    (service) => service.stop(),
  )
}

function closeIfPossible(opened: object): unknown {
  return 'close' in opened && typeof opened.close === 'function' ? opened.close() : undefined
}
