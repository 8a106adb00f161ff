// The component: one animation for each place on a page, kept while the page sends new data.

const animations = new WeakMap();
const BASE_FONT = 18; // the size of the page's type that the pictures are made for, in pixels
const MOST_HEIGHT = 620; // of the picture, in CSS pixels, for the sake of the numbers in it
const PRESENTED_WORDS = 340; // of a presenter's screen, in CSS pixels: all but the cells

const between = (low, value, high) => Math.min(high, Math.max(low, value));

export default function ({ data, parentElement, setTriggerValue }) {
  let animation = animations.get(parentElement);
  if (!animation) {
    animation = makeAnimation(parentElement);
    animations.set(parentElement, animation);
  }
  animation.take(data, (stop) => setTriggerValue("stopped", stop));
  // Where runs follow one another quickly, Streamlit cleans up and goes on in the same place: there
  // the animation stays. It ends once its place has left the page.
  return () => {
    setTimeout(() => {
      if (parentElement.isConnected || animations.get(parentElement) !== animation) return;
      animation.end();
      animations.delete(parentElement);
    });
  };
}

function makeAnimation(host) {
  const part = (selector) => host.querySelector(selector);
  const root = part(".animation");
  const stage = makeStage(part(".stage"));
  const ribbon = makeRibbon(part(".ribbon"));
  const controls = makeControls(part);
  const link = makeLink();
  let scene = null; // what Python sent, unpacked
  let colors = {};
  let shown = -1; // the stage in words
  let pinned = null;
  let hovered = null;
  let drawnRibbon = "";
  let width = 0;
  let frame = 0;

  const player = makePlayer({
    moved: ask,
    changed: () => controls.showPlaying(player),
    stopped: () => link.tell(scene.stages[Math.ceil(player.at)].name),
  });
  controls.connect(player, (pin) => follow({ pin }));
  controls.showPlaying(player);

  // Drawing: at most once a frame, and only when something has changed

  function ask() {
    frame ||= requestAnimationFrame(draw);
  }

  function draw() {
    frame = 0;
    if (!width) return;
    const followed = hovered ?? pinned;
    stage.draw(scene, player.at, colors, followed);
    // The memory's picture moves only at a copy.
    const [now, next] = [Math.floor(player.at), Math.ceil(player.at)];
    const copies = scene.stages[now].address !== scene.stages[next].address;
    const state = `${copies ? player.at : next} ${followed}`;
    if (state !== drawnRibbon) ribbon.draw(scene, player.at, colors, followed);
    drawnRibbon = state;
    controls.showPosition(player.at);
    if (next !== shown) showStage(next);
  }

  function layOut() {
    width = root.clientWidth;
    if (!width) return;
    const style = getComputedStyle(root);
    const zoom = root.getBoundingClientRect().width / width; // a presenter's
    const height = window.innerHeight / zoom;
    const isPresented = !part(".bar").checkVisibility();
    colors = { ink: style.color, ground: style.getPropertyValue("--st-background-color").trim() };
    const type = parseFloat(style.fontSize) / BASE_FONT; // larger where the page's type is larger
    const how = {
      width,
      type,
      ratio: (window.devicePixelRatio || 1) * zoom,
      font: style.fontFamily,
      gutter: width < 700 ? 22 : (isPresented ? 60 : 66) * type,
      print: isPresented ? PRESENTED_PRINT : PRINT,
    };
    let [tallest, most] = [between(230, height * 0.33, 420), MOST_HEIGHT];
    let memory = between(84, height * 0.13, 150);
    if (isPresented) {
      const room = Math.max(260, height - PRESENTED_WORDS);
      tallest = most = room * 0.82;
      memory = room * 0.17;
    }
    stage.layOut(scene, { ...how, tallest, most });
    ribbon.layOut(scene, { ...how, tallest: memory });
    drawnRibbon = "";
    draw(); // at once: a canvas that got a new size is empty
  }

  // Words

  function showStage(number) {
    shown = number;
    const { name, axes, shape, strides, code } = scene.stages[number];
    controls.showStage(scene, number);
    controls.showPath(scene, hovered ?? pinned, number);
    stage.canvas.setAttribute(
      "aria-label",
      `Stage ${name}: shape ${withAxes(axes, shape)}; ${scene.heads} heads, a hue each.`,
    );
    ribbon.canvas.setAttribute(
      "aria-label",
      `Memory: ${scene.N} numbers in order of address; strides ${withAxes(axes, strides)}.`,
    );
    part(".live").textContent = [
      `Stage ${number + 1} of ${scene.stages.length}, ${name}: ${code}.`,
      `Shape ${withAxes(axes, shape)}; ${memoryWords(scene.stages[number])}.`,
      misplacedWords(scene.stages[number], scene.N),
    ].join(" ");
  }

  function follow({ pin = pinned, hover = hovered }) {
    [pinned, hovered] = [pin, hover];
    controls.showPath(scene, hovered ?? pinned, shown);
    ask();
  }

  for (const surface of [stage, ribbon]) {
    surface.canvas.onpointermove = (event) => {
      const hover = event.pointerType === "touch" ? null : surface.numberAt(event);
      if (hover !== hovered) follow({ hover });
    };
    surface.canvas.onpointerleave = () => follow({ hover: null });
    surface.canvas.onclick = (event) => {
      const pin = surface.numberAt(event);
      controls.showPinned(pin);
      follow({ pin });
    };
  }

  // A lecturer's key moves the animation while it has a stage to go to.
  const onMove = (event) => {
    if (player.step(event.detail.by)) event.preventDefault();
  };
  document.addEventListener("explorer:move", onMove);

  const resized = new ResizeObserver(() => {
    if (root.clientWidth !== width) layOut(); // its own words may change its height
  });
  window.addEventListener("resize", layOut); // its height counts too
  document.fonts.addEventListener("loadingdone", layOut); // the numbers are drawn once, in their font

  // For tests: a frame anywhere on the time line, drawn now.
  stage.canvas.drawAt = (at) => {
    player.jump(at, { tell: false });
    draw();
  };

  function take(data, tellServer) {
    const isAsked = link.hear(data, tellServer);
    if (data.id !== scene?.id) {
      const old = scene;
      scene = unpack(data);
      if (pinned >= scene.N) pinned = null;
      hovered = null;
      shown = -1;
      controls.showScene(scene);
      keepPlace(old, data.stage);
    } else if (isAsked) player.go(data.stage);
    layOut(); // the theme may be another one
  }

  // Other sizes leave the animation where it is. Another way has other stages: a stage that both
  // have stays, and at rest the stage in the link is shown again.
  function keepPlace(old, asked) {
    const names = (of) => of?.stages.map(({ name }) => name) ?? [];
    if (names(old).join() === names(scene).join()) return;
    const same = names(scene).indexOf(names(old)[Math.ceil(player.at)]);
    player.place(player.playing && same >= 0 ? same : asked, scene.stages.length - 1);
  }

  part(".fallback").remove();
  root.hidden = false;
  resized.observe(root);
  return {
    take,
    end() {
      resized.disconnect();
      document.removeEventListener("explorer:move", onMove);
      window.removeEventListener("resize", layOut);
      document.fonts.removeEventListener("loadingdone", layOut);
      player.end();
      cancelAnimationFrame(frame);
    },
  };
}
