/** Read of a mapping function: a leaf of the raw record, or an object or list in which it read nothing further. */
export interface RawRead {
  /** JSON Pointer within the record as its connector reads it. Source: https://www.rfc-editor.org/rfc/rfc6901 */
  path: string
  found: 'value' | 'absent' | 'object' | 'list'
  /** Null unless a value was found. */
  value: string | number | boolean | null
}

/**
 * Recording proxy of a raw record: behaves like the record and records what is read, except its property `unshown`. Only
 * plain objects and lists are wrapped; an object that occurs twice is recorded at the position read first, so that it
 * stays equal to itself.
 */
export function watchReads(wire: unknown, unshown?: string): { view: unknown; listReads(): RawRead[] } {
  const reads = new Map<string, RawRead>()
  const unshownPath = unshown === undefined ? null : `/${escaped(unshown)}`
  const views = new WeakMap<object, unknown>()
  const note = (path: string, isThere: boolean, value: unknown): void => {
    if (!reads.has(path)) reads.set(path, toRead(path, isThere, value))
  }
  const viewOf = (value: unknown, path: string): unknown => {
    if (!isPlain(value)) return value
    const known = views.get(value)
    if (known) return known
    const view = new Proxy(value, watcher(path, note, viewOf))
    views.set(value, view)
    return view
  }
  return { view: viewOf(wire, ''), listReads: () => leavesOf([...reads.values()].filter(({ path }) => path !== unshownPath)) }
}

function watcher(
  path: string,
  note: (path: string, isThere: boolean, value: unknown) => void,
  viewOf: (value: unknown, path: string) => unknown,
): ProxyHandler<object> {
  const noteChild = (target: object, name: string): unknown => {
    const value: unknown = Reflect.get(target, name)
    note(`${path}/${escaped(name)}`, Object.hasOwn(target, name), value)
    return value
  }
  return {
    get(target, key) {
      const name = dataName(target, key)
      if (name === null) return Reflect.get(target, key)
      if (Array.isArray(target) && name === 'length') {
        note(path, true, target)
        return target.length
      }
      const value = noteChild(target, name)
      return isFixed(target, name) ? value : viewOf(value, `${path}/${escaped(name)}`)
    },
    has(target, key) {
      const name = dataName(target, key)
      if (name !== null) noteChild(target, name)
      return Reflect.has(target, key)
    },
    ownKeys(target) {
      note(path, true, target)
      return Reflect.ownKeys(target)
    },
    // Called for each name when names are listed, so it records the holder only.
    getOwnPropertyDescriptor(target, key) {
      if (dataName(target, key) !== null) note(path, true, target)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  }
}

/** Null for methods and the like: they access the data through the proxy. */
function dataName(target: object, key: string | symbol): string | null {
  if (typeof key === 'symbol' || key === 'toJSON') return null
  return Object.hasOwn(target, key) || !(key in target) ? key : null
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/** NOTE for a frozen property a proxy may only return the very value. */
function isFixed(target: object, key: string): boolean {
  const property = Object.getOwnPropertyDescriptor(target, key)
  return property !== undefined && property.configurable === false && property.writable === false
}

function toRead(path: string, isThere: boolean, value: unknown): RawRead {
  if (!isThere || value === undefined) return { path, found: 'absent', value: null }
  if (Array.isArray(value)) return { path, found: 'list', value: null }
  if (typeof value === 'object' && value !== null) return { path, found: 'object', value: null }
  const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean'
  return { path, found: 'value', value: isPlain ? value : String(value) }
}

/** Drops the reads of objects and lists through which a leaf was reached. */
function leavesOf(reads: RawRead[]): RawRead[] {
  const holders = new Set<string>()
  for (const { path } of reads) {
    for (let end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
      holders.add(path.slice(0, end))
      if (end === 0) break
    }
  }
  return reads.filter(({ path }) => !holders.has(path))
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
