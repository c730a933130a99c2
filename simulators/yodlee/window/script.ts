/** Replacement for FastLink's own script: inserts the frame and forwards its messages. */
export const INITIALIZE_SCRIPT = `(() => {
  let listener = null
  const close = () => {
    if (listener) removeEventListener('message', listener)
    listener = null
    document.querySelector('#fastlink-frame')?.remove()
  }
  globalThis.fastlink = {
    open(config, containerId) {
      close()
      const frame = document.createElement('iframe')
      frame.id = 'fastlink-frame'
      frame.name = 'fastlink-frame'
      frame.title = 'FastLink'
      frame.style.width = '100%'
      frame.style.height = '40rem'
      frame.style.border = '0'
      document.getElementById(containerId).append(frame)
      const form = document.createElement('form')
      form.method = 'post'
      form.action = config.fastLinkURL
      form.target = frame.name
      form.hidden = true
      const fields = { accessToken: config.accessToken, extraParams: new URLSearchParams(config.params).toString() }
      for (const [name, value] of Object.entries(fields)) {
        const input = document.createElement('input')
        input.name = name
        input.value = value
        form.append(input)
      }
      document.body.append(form)
      form.submit()
      form.remove()
      listener = ({ source, data }) => {
        if (source !== frame.contentWindow) return
        if (data.fnToCall === 'onExit') close()
        config[data.fnToCall]?.(data.data)
      }
      addEventListener('message', listener)
    },
    close,
  }
})()
`
