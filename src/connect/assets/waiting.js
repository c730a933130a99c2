// Follows a link that the owner passed on. Without it the page is complete too: a link there asks for the status.
const FAST_MS = 3_000
const SLOW_MS = 15_000
const FAST_TURNS = 40
const LAST_TURN = 500

async function update() {
  const response = await fetch(location.href, { credentials: 'same-origin' })
  if (!response.ok) return
  // What was waited for has happened: that is another page.
  if (new URL(response.url).pathname !== location.pathname) return location.replace(response.url)
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('#waiting .state')
  const shown = document.querySelector('#waiting .state')
  // The link was taken back, or given to somebody else, in another tab.
  if (!next || !shown) return location.reload()
  if (next.className === shown.className) return
  shown.className = next.className
  shown.textContent = next.textContent
}

function follow(turn) {
  if (turn > LAST_TURN) return
  setTimeout(
    async () => {
      // A failed look is no news: the next one tells.
      if (!document.hidden) await update().catch(() => undefined)
      follow(document.hidden ? turn : turn + 1)
    },
    turn < FAST_TURNS ? FAST_MS : SLOW_MS,
  )
}

follow(0)
