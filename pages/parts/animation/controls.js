// Everything around the pictures: the title, the number to follow, and the bar of controls.

const ICONS = { play: "M7 4.500v15l13-7.500z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };
const SNAP = 0.12; // a scrubber let go so near to a stage is meant to be at it

function makeControls(part) {
  const root = part(".animation");
  const scrub = part(".scrub");

  function connect(player, pin) {
    part(".play").onclick = player.toggle;
    part(".back").onclick = () => player.step(-1);
    part(".forward").onclick = () => player.step(1);
    part(".speed").onchange = ({ target }) => (player.speed = Number(target.value));
    part(".loop").onclick = ({ currentTarget }) => {
      player.loop = !player.loop;
      currentTarget.setAttribute("aria-pressed", player.loop);
    };
    scrub.oninput = () => player.jump(Number(scrub.value), { tell: false });
    scrub.onchange = () => {
      const nearest = Math.round(player.at);
      player.jump(Math.abs(player.at - nearest) < SNAP ? nearest : player.at);
    };
    part(".number").oninput = ({ target }) => {
      pin(target.value !== "" && target.checkValidity() ? Number(target.value) : null);
    };
    root.onkeydown = (event) => {
      const [forward, back] = [() => player.step(1), () => player.step(-1)];
      const act = {
        " ": player.toggle,
        ArrowRight: forward,
        ArrowLeft: back,
        Home: () => player.jump(0),
        End: () => player.jump(player.last),
        ...(event.target === scrub && { ArrowUp: forward, ArrowDown: back }),
      }[event.key];
      // What a control does with a key of its own goes first: a number, a list, a pressed button.
      const owners = event.key === " " ? ".number, .speed, button" : ".number, .speed";
      const isItsOwn = event.target.matches(owners);
      if (!act || isItsOwn || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
  }

  function showPlaying({ playing }) {
    const name = playing ? "Pause" : "Play";
    part(".play").title = `${name} (space)`;
    part(".play").setAttribute("aria-label", name);
    part(".play path").setAttribute("d", ICONS[name.toLowerCase()]);
  }

  // Other sizes or another way: its stages on the time line, its numbers to choose from.
  function showScene({ stages, N }) {
    scrub.max = stages.length - 1;
    part(".number").max = N - 1;
    part(".number").placeholder = `0 to ${N - 1}`;
    root.classList.toggle("mistaken", stages.some(({ misplaced }) => misplaced));
    part(".ticks").replaceChildren(...stages.map(({ name }) => element("span", name)));
  }

  function showPosition(at) {
    scrub.value = at;
  }

  function showStage({ stages, N }, number) {
    const stage = stages[number];
    const count = `${number + 1} of ${stages.length}`;
    part(".count").textContent = count;
    part(".name").textContent = stage.name;
    part(".code").textContent = stage.code;
    part(".memory").textContent = memoryWords(stage);
    part(".memory").classList.toggle("copied", stage.copied);
    part(".wrong").textContent = misplacedWords(stage, N);
    fill(".axes", stage.axes, "th");
    fill(".shape", stage.shape, "td");
    fill(".strides", stage.strides, "td");
    scrub.setAttribute("aria-valuetext", `${count}, ${stage.name}`);
    [...part(".ticks").children].forEach((tick, at) => tick.classList.toggle("now", at === number));
  }

  function showPath(scene, n, number) {
    const nothing = "Point at a number, tap it or type it.";
    part(".path").textContent = n === null ? nothing : pathWords(scene, n);
    part(".here").textContent = n === null ? "" : hereWords(scene.stages[number], n);
  }

  function showPinned(n) {
    part(".number").value = n ?? "";
  }

  function fill(row, values, tag) {
    const [head] = part(row).children;
    part(row).replaceChildren(head, ...values.map((value) => element(tag, value)));
  }

  return { connect, showPlaying, showScene, showPosition, showStage, showPath, showPinned };
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
