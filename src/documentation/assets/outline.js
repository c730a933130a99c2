// Marks in the outline, and in the menu of the reference, the section that is being read.

const MOST_OPEN = 8

export function startOutline() {
  const links = [...document.querySelectorAll('.outline a[href^="#"], #menu .below a[href*="#"]')]
  const byId = Map.groupBy(links, (link) => decodeURIComponent(link.hash.slice(1)))
  const targets = [...byId.keys()].map((id) => document.getElementById(id)).filter(Boolean)
  const list = document.querySelector('.outline details')
  if (list && !matchMedia('(min-width: 60rem)').matches && links.length > MOST_OPEN) list.open = false
  if (targets.length === 0) return

  function mark() {
    const top = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 8
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
    const passed = targets.filter((each) => each.getBoundingClientRect().top <= top)
    const current = isAtEnd && scrollY > 0 ? targets.at(-1) : passed.at(-1)
    for (const [id, own] of byId) {
      for (const link of own) {
        if (id === current?.id) link.setAttribute('aria-current', 'location')
        else link.removeAttribute('aria-current')
      }
    }
  }

  let isWaiting = false
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return
      isWaiting = true
      requestAnimationFrame(() => {
        isWaiting = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}
