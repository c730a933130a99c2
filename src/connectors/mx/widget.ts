import type { Widget } from '../contract/authorization.ts'

/**
 * Shows the Connect Widget in a frame and waits for what it posts. Source of the messages:
 * https://github.com/mxenabled/widget-post-message-definitions
 */
const GLUE = `const frame = document.createElement('iframe')
frame.title = params.title
frame.src = params.url
frame.style.width = '100%'
frame.style.height = '44rem'
frame.style.border = '0'
addEventListener('message', ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== params.origin) return
  if (data?.type === 'mx/connect/memberConnected') finish({ member_guid: String(data.metadata?.member_guid ?? '') })
})
document.querySelector('#widget-place').append(frame)`

/** Widget at an address that MX created for one owner. MX needs no script on our page. */
export function toWidget(url: string, title: string): Widget {
  const { origin } = new URL(url)
  return { script: null, origins: [origin], glue: GLUE, params: { url, origin, title } }
}
