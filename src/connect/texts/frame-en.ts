/** Texts of the pages in a frame, and of the window that is opened from one. */
export const frameEn = {
  frame: {
    title: (source: string) => `Continue at ${source}`,
    titleBank: (bank: string) => `Connect ${bank}`,
    text: (source: string) => `${source} opens in a separate window, so that you can see its address. This page will wait for you here.`,
    go: (source: string) => `Open ${source}`,
    blockedTitle: 'Your browser blocked the window',
    blockedText: 'Continue in this window instead. When you have finished, you will return to this page.',
    blockedGo: (source: string) => `Go to ${source} in this window`,
    waiting: 'Waiting for you to finish in the other window…',
    finished: 'I have finished in the other window',
    closeText: 'You can close this window. The page where you started continues automatically.',
    close: 'Close this window',
  },
}
