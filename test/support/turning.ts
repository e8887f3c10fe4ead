/** In the page: texts that could turn what stands beside them round, and markup out of what was text. */
export const TURNING = `(() => {
  const turning = /[\\u202a-\\u202e\\u2066-\\u2069\\u200b]/;
  const found = [...document.querySelectorAll("main img, main script")].map(({ tagName }) => tagName);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (turning.test(texts.currentNode.data)) found.push("text " + JSON.stringify(texts.currentNode.data.slice(0, 60)) + " in " + texts.currentNode.parentElement.outerHTML.slice(0, 100));
  for (const element of document.querySelectorAll("[title], [aria-label]"))
    for (const name of ["title", "aria-label"])
      if (turning.test(element.getAttribute(name) ?? "")) found.push(name + " of " + element.outerHTML.slice(0, 100));
  return found;
})()`;
