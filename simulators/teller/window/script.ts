/** Replacement for `connect.js`: the public part of Teller Connect. Source: https://teller.io/docs/guides/connect */
export function connectScript(baseUrl: string): string {
  return `(() => {
  const base = ${JSON.stringify(baseUrl)}
  const { origin } = new URL(base)
  globalThis.TellerConnect = {
    setup(options) {
      if (!options.applicationId) throw new Error('applicationId is required')
      const query = new URLSearchParams({ application_id: options.applicationId, environment: options.environment ?? 'production', opener: location.origin })
      for (const [name, value] of [['nonce', options.nonce], ['institution', options.institution], ['enrollment_id', options.enrollmentId]])
        if (value) query.set(name, value)
      const frame = document.createElement('iframe')
      frame.title = 'Teller Connect'
      frame.setAttribute('style', 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0; z-index: 1000; background: #fff')
      const close = () => frame.remove()
      addEventListener('message', (event) => {
        if (event.origin !== origin || event.source !== frame.contentWindow) return
        close()
        if (event.data.kind === 'success') options.onSuccess?.(event.data.enrollment)
        else if (event.data.kind === 'failure') options.onFailure?.(event.data.failure)
        else options.onExit?.()
      })
      options.onInit?.()
      return { open() { frame.src = base + '/connect/window?' + query; document.body.append(frame) }, destroy: close }
    },
  }
})()
`
}
