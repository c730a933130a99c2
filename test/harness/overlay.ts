/** The object with some of its methods replaced. */
export function overlay<T extends object>(object: T, methods: Readonly<Record<string, unknown>>): T {
  return new Proxy(object, {
    get: (target, name) => {
      if (typeof name === 'string' && name in methods) return methods[name]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
